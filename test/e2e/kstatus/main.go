// Says what kstatus makes of objects: Helm and Flux wait by it. Reads an object per line, and prints the name of its status.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		object := &unstructured.Unstructured{}
		must(json.Unmarshal(lines.Bytes(), object))
		result, err := status.Compute(object)
		must(err)
		fmt.Println(result.Status)
	}
	must(lines.Err())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
