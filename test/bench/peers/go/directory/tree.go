package directory

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"holdfast.dev/bench/peer/api"
)

// tree is what a directory declares, in the order of its paths.
type tree struct {
	installation string
	connections  []*api.SchedulerConnection
	secrets      []*corev1.Secret
	volumes      []*declared
}

// declared is a volume and the hash of its document.
type declared struct {
	api.CSIVolume
	hash string
}

// readTree parses the files on all cores.
func readTree(root string) (*tree, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := make([]tree, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			if err := parts[i].read(file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return joined(parts)
}

func joined(parts []tree) (*tree, error) {
	var all tree
	for _, part := range parts {
		if part.installation != "" {
			all.installation = part.installation
		}
		all.connections = append(all.connections, part.connections...)
		all.secrets = append(all.secrets, part.secrets...)
		all.volumes = append(all.volumes, part.volumes...)
	}
	if all.installation == "" || len(all.connections) == 0 || len(all.secrets) == 0 {
		return nil, errors.New("expected an Installation, a SchedulerConnection and a Secret")
	}
	seen := make(map[types.NamespacedName]bool, len(all.volumes))
	for _, volume := range all.volumes {
		key := types.NamespacedName{Namespace: volume.Namespace, Name: volume.Name}
		if seen[key] {
			return nil, fmt.Errorf("%s is declared twice", key)
		}
		seen[key] = true
		volume.UID = types.UID(uuid.NewSHA1(uuid.Nil, []byte(all.installation+"/"+key.String())).String())
	}
	return &all, nil
}

func (t *tree) read(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.take(document); err != nil {
			return err
		}
	}
}

func (t *tree) take(document []byte) error {
	var meta metav1.PartialObjectMetadata
	if err := yaml.Unmarshal(document, &meta); err != nil {
		return err
	}
	switch meta.Kind {
	case "":
		return nil
	case "Installation":
		t.installation = meta.Name
		return nil
	case "SchedulerConnection":
		t.connections = append(t.connections, new(api.SchedulerConnection))
		return yaml.Unmarshal(document, t.connections[len(t.connections)-1])
	case "Secret":
		t.secrets = append(t.secrets, new(corev1.Secret))
		return yaml.UnmarshalStrict(document, t.secrets[len(t.secrets)-1])
	case "CSIVolume":
		sum := sha256.Sum256(document)
		volume := &declared{hash: hex.EncodeToString(sum[:])}
		t.volumes = append(t.volumes, volume)
		if err := yaml.UnmarshalStrict(document, &volume.CSIVolume); err != nil {
			return err
		}
		return validate(&volume.CSIVolume).ToAggregate()
	}
	return fmt.Errorf("unknown kind %q", meta.Kind)
}
