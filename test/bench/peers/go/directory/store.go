package directory

import (
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"holdfast.dev/bench/peer/api"
)

// record is a declaration as it is kept.
type record struct {
	Generation int64             `json:"generation"`
	UID        string            `json:"uid"`
	Hash       string            `json:"hash"`
	Spec       api.CSIVolumeSpec `json:"spec"`
}

// store keeps declarations, intents and statuses. Each write returns once it is on disk; concurrent ones share a transaction.
type store struct{ db *bbolt.DB }

const batch = 1000

var declarations, intents, statuses = []byte("declarations"), []byte("intents"), []byte("statuses")

func openStore(file string) (*store, error) {
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	db.MaxBatchSize, db.MaxBatchDelay = batch, 5*time.Millisecond // as Holdfast's
	return &store{db}, db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{declarations, intents, statuses} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

func keyOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// recall gives the volumes what is kept of them, and returns those whose declaration changed.
func (s *store) recall(volumes []*declared) (changed []*declared, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		for _, volume := range volumes {
			key := []byte(keyOf(volume))
			var kept record
			if text := tx.Bucket(declarations).Get(key); text != nil {
				if err := json.Unmarshal(text, &kept); err != nil {
					return err
				}
			}
			if text := tx.Bucket(statuses).Get(key); text != nil {
				if err := json.Unmarshal(text, &volume.Status); err != nil {
					return err
				}
			}
			volume.Generation = kept.Generation
			if kept.Hash != volume.hash {
				volume.Generation++
				changed = append(changed, volume)
			}
		}
		return nil
	})
	return changed, err
}

func (s *store) declare(volumes []*declared) error {
	for len(volumes) > 0 {
		some := volumes[:min(batch, len(volumes))]
		volumes = volumes[len(some):]
		err := s.db.Update(func(tx *bbolt.Tx) error {
			for _, volume := range some {
				kept := record{volume.Generation, string(volume.UID), volume.hash, volume.Spec}
				if err := put(tx, declarations, keyOf(volume), kept); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *store) intend(key, intent string) error {
	return s.db.Batch(func(tx *bbolt.Tx) error { return tx.Bucket(intents).Put([]byte(key), []byte(intent)) })
}

func (s *store) remember(key string, status *api.CSIVolumeStatus) error {
	return s.db.Batch(func(tx *bbolt.Tx) error { return put(tx, statuses, key, status) })
}

func put(tx *bbolt.Tx, bucket []byte, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put([]byte(key), text)
}
