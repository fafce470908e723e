// Package scheduler is a client of the scheduler's API.
package scheduler

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

type Capability struct {
	AccessMode     string
	AttachmentMode string
}

type MountOptions struct {
	FsType     string   `json:",omitempty"`
	MountFlags []string `json:",omitempty"`
}

// Request is a volume as it is sent.
type Request struct {
	ID, Name, Namespace, PluginID string
	RequestedCapabilities         []Capability
	MountOptions                  MountOptions
	Secrets                       map[string]string
	RequestedCapacityMin          int64
	RequestedCapacityMax          int64 `json:",omitempty"`
	Parameters                    map[string]string
}

// Volume is a volume as it is answered. Mount flags are redacted.
type Volume struct {
	ID, ExternalID, Namespace, Name, PluginID  string
	ControllersHealthy, ControllersExpected    int
	NodesHealthy, NodesExpected                int
	CreateIndex                                uint64
	RequestedCapabilities                      []Capability
	MountOptions                               *MountOptions
	Parameters, Context                        map[string]string
	Capacity                                   int64
	RequestedCapacityMin, RequestedCapacityMax int64
	Allocations                                []struct{ ID string }
}

var ErrNotFound = errors.New("not found")

// Client shares its connections among all who use it.
type Client struct {
	Base, token string
	http        *http.Client
}

func New(base, token string, connections int) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = connections
	transport.MaxIdleConns = connections
	transport.MaxIdleConnsPerHost = connections
	transport.DisableCompression = true
	return &Client{base, token, &http.Client{Transport: transport, Timeout: 30 * time.Second}}
}

// Probe asks what a connection's health is made of.
func (c *Client) Probe(ctx context.Context) error {
	for _, path := range []string{"status/leader", "volumes?type=csi&namespace=default&per_page=1", "agent/self"} {
		if err := c.do(ctx, http.MethodGet, "/v1/"+path, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// Volume returns ErrNotFound where there is none.
func (c *Client) Volume(ctx context.Context, namespace, id string) (*Volume, error) {
	var volume Volume
	if err := c.do(ctx, http.MethodGet, pathOf(namespace, id, ""), nil, &volume); err != nil {
		return nil, err
	}
	return &volume, nil
}

func (c *Client) CreateVolume(ctx context.Context, volume *Request) error {
	body := struct{ Volumes []*Request }{[]*Request{volume}}
	return c.do(ctx, http.MethodPut, pathOf(volume.Namespace, volume.ID, "/create"), body, nil)
}

func pathOf(namespace, id, action string) string {
	return "/v1/volume/csi/" + url.PathEscape(id) + action + "?namespace=" + url.QueryEscape(namespace)
}

func (c *Client) do(ctx context.Context, method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, reader)
	if err != nil {
		return err
	}
	request.Header.Set("X-Cluster-Token", c.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body) // to its end, so that the connection can be used again
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNotFound:
		return ErrNotFound
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}
