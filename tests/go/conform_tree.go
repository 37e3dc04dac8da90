// Conform_tree answers `foredraw-verify conform` with the code of Go's checksum database: trees, proofs and notes.
//
//	foredraw-verify conform ./conform_tree --format merkle-root --format inclusion --format consistency
//
// The questions and the answers are described in docs/conformance.md.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type input struct {
	Entries []string `json:"entries"`
	Leaf    string   `json:"leaf"`
	Root    string   `json:"root"`
	OldRoot string   `json:"old_root"`
	Index   int64    `json:"index"`
	Size    int64    `json:"size"`
	OldSize int64    `json:"old_size"`
	Path    []string `json:"path"`
	Text    string   `json:"text"`
	Hex     string   `json:"hex"`
	Key     string   `json:"key"`
}

type request struct {
	Format string `json:"format"`
	Input  input  `json:"input"`
}

func hash(text string) (h tlog.Hash) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(h) {
		panic("a vector with a hash that is none")
	}
	copy(h[:], data)
	return h
}

func hashes(texts []string) []tlog.Hash {
	found := make([]tlog.Hash, 0, len(texts))
	for _, text := range texts {
		found = append(found, hash(text))
	}
	return found
}

// root builds the tree record by record, from the hashes that Go would store.
func root(entries []string) (tlog.Hash, error) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for i, entry := range entries {
		data, err := hex.DecodeString(entry)
		if err != nil {
			return tlog.Hash{}, err
		}
		more, err := tlog.StoredHashes(int64(i), data, reader)
		if err != nil {
			return tlog.Hash{}, err
		}
		stored = append(stored, more...)
	}
	return tlog.TreeHash(int64(len(entries)), reader)
}

func answer(asked request) (map[string]string, error) {
	in := asked.Input
	switch asked.Format {
	case "merkle-root":
		if len(in.Entries) == 0 {
			// Version 0.7.0 gives zeros for the empty tree instead of RFC 6962's hash of nothing.
			return map[string]string{"root": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}, nil
		}
		found, err := root(in.Entries)
		return map[string]string{"root": hex.EncodeToString(found[:])}, err
	case "inclusion":
		return nil, tlog.CheckRecord(hashes(in.Path), in.Size, hash(in.Root), in.Index, hash(in.Leaf))
	case "consistency":
		return nil, tlog.CheckTree(hashes(in.Path), in.Size, hash(in.Root), in.OldSize, hash(in.OldRoot))
	case "note":
		text := []byte(in.Text)
		if in.Hex != "" {
			text, _ = hex.DecodeString(in.Hex)
		}
		key, err := note.NewVerifier(in.Key)
		if err != nil {
			return nil, err
		}
		opened, err := note.Open(text, note.VerifierList(key))
		if err != nil {
			return nil, err
		}
		return map[string]string{"text": opened.Text}, nil
	}
	return nil, errors.New("not a format of this program")
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		result, err := answer(asked)
		told := map[string]any{"valid": err == nil}
		if err == nil && result != nil {
			told["result"] = result
		}
		if err := out.Encode(told); err != nil {
			panic(err)
		}
	}
}
