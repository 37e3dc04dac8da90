// Verify_log checks a log's folder with the code of Go's checksum database and none of ours.
//
//	verify_log VKEY FOLDER [PROOFS]
//
// The tests run it, and so can anybody who has Go. It checks:
//
//  1. the checkpoint's signature (golang.org/x/mod/sumdb/note);
//  2. every tile, read as a client does that trusts only the checkpoint, and every record against
//     its tile (golang.org/x/mod/sumdb/tlog, as the following steps);
//  3. the checkpoint's root: it is the root of all records;
//  4. every file under tile/, including older partial ones: its content follows from the records;
//  5. inclusion and consistency proofs that it makes from the tiles;
//  6. the proofs of a JSON file, made by others: inclusion proofs as C2SP tlog-proof texts, and for older
//     signed checkpoints their consistency proofs.
//
// If anything does not hold, it exits with status 1 and one line that says why.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height = 8
	width  = 1 << height
)

// proofs is the JSON file of step 6. Hashes are in base64.
type proofs struct {
	Inclusion   []string `json:"inclusion"`
	Consistency []struct {
		Older string      `json:"older"`
		Path  []tlog.Hash `json:"path"`
	} `json:"consistency"`
}

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: verify_log VKEY FOLDER [PROOFS]")
		os.Exit(2)
	}
	if err := verify(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "verify_log:", err)
		os.Exit(1)
	}
}

func verify(vkey, folder string, more []string) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}

	// Step 1: the checkpoint.
	signed, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(string(signed), verifier)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	log := &log{folder: folder, tree: tree}

	// Steps 2 to 5: the files.
	if err := log.readRecords(); err != nil {
		return err
	}
	if err := log.checkThroughTiles(); err != nil {
		return err
	}
	if err := log.checkRoot(); err != nil {
		return err
	}
	files, err := log.checkFiles()
	if err != nil {
		return err
	}
	made, err := log.checkOwnProofs()
	if err != nil {
		return err
	}
	fmt.Printf("signed by %s\n%d records\n%d files\n%d proofs from tiles\n", verifier.Name(), tree.N, files, made)

	// Step 6: the proofs of others.
	if len(more) == 0 {
		return nil
	}
	data, err := os.ReadFile(more[0])
	if err != nil {
		return err
	}
	var given proofs
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	for i, text := range given.Inclusion {
		if err := log.checkInclusion(text, verifier); err != nil {
			return fmt.Errorf("inclusion proof %d: %w", i, err)
		}
	}
	for i, proof := range given.Consistency {
		older, err := openCheckpoint(proof.Older, verifier)
		if err != nil {
			return fmt.Errorf("consistency proof %d: %w", i, err)
		}
		if err := tlog.CheckTree(proof.Path, tree.N, tree.Hash, older.N, older.Hash); err != nil {
			return fmt.Errorf("consistency proof %d from size %d: %w", i, older.N, err)
		}
	}
	fmt.Printf("%d inclusion proofs\n%d consistency proofs\n", len(given.Inclusion), len(given.Consistency))
	return nil
}

// openCheckpoint reads a signed checkpoint (C2SP tlog-checkpoint) without extension lines.
func openCheckpoint(signed string, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open([]byte(signed), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("not three lines of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return tlog.Tree{}, fmt.Errorf("size %q", lines[1])
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// log is a log's folder, its checkpoint's tree, and what is computed from its records.
type log struct {
	folder  string
	tree    tlog.Tree
	records [][]byte
	hashes  []tlog.Hash // by tlog's numbering, computed from the records alone
}

// path is the file of a tile. Go's paths name the height, and call the bundles "data"; C2SP's do not.
func path(tile tlog.Tile) string {
	c2sp := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
	return strings.Replace(c2sp, "tile/data/", "tile/entries/", 1)
}

// tileAt is the opposite of path.
func tileAt(name string) (tlog.Tile, error) {
	goes := strings.Replace(name, "tile/entries/", "tile/data/", 1)
	return tlog.ParseTilePath(strings.Replace(goes, "tile/", fmt.Sprintf("tile/%d/", height), 1))
}

// tilesOf lists the tiles of a level that the tree has; level -1 is that of the bundles.
// (tlog.NewTiles would also list every narrower form of the partial ones.)
func (l *log) tilesOf(level int) []tlog.Tile {
	entries := l.tree.N
	if level > 0 {
		entries >>= uint(height * level)
	}
	var tiles []tlog.Tile
	for first := int64(0); first < entries; first += width {
		tile := tlog.Tile{H: height, L: level, N: first / width, W: width}
		if left := entries - first; left < width {
			tile.W = int(left)
		}
		tiles = append(tiles, tile)
	}
	return tiles
}

func (l *log) readRecords() error {
	for _, tile := range l.tilesOf(-1) {
		data, err := os.ReadFile(filepath.Join(l.folder, path(tile)))
		if err != nil {
			return err
		}
		records, err := split(data, tile.W)
		if err != nil {
			return fmt.Errorf("%s: %w", path(tile), err)
		}
		l.records = append(l.records, records...)
	}
	for i, record := range l.records {
		hashes, err := tlog.StoredHashes(int64(i), record, l)
		if err != nil {
			return err
		}
		l.hashes = append(l.hashes, hashes...)
	}
	return nil
}

// split divides a bundle: each record follows its length in two bytes.
func split(bundle []byte, count int) ([][]byte, error) {
	var records [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 {
			return nil, errors.New("a length is cut off")
		}
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < end {
			return nil, errors.New("a record is cut off")
		}
		records = append(records, bundle[2:end])
		bundle = bundle[end:]
	}
	if len(records) != count {
		return nil, fmt.Errorf("%d records, not %d", len(records), count)
	}
	return records, nil
}

// ReadHashes makes the log a tlog.HashReader of the hashes computed from its records.
func (l *log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("no hash %d in %d records", index, len(l.records))
		}
		found[i] = l.hashes[index]
	}
	return found, nil
}

// Height, ReadTiles and SaveTiles make the log a tlog.TileReader of its files.
func (l *log) Height() int { return height }

func (l *log) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		read, err := os.ReadFile(filepath.Join(l.folder, path(tile)))
		if err != nil {
			return nil, err
		}
		data[i] = read
	}
	return data, nil
}

func (l *log) SaveTiles([]tlog.Tile, [][]byte) {}

// checkThroughTiles reads every hash of every tile like a client that trusts only the checkpoint.
// It is not sufficient: if the tree's right edge is in few tiles, TileHashReader of version 0.7.0 does
// not compare some full tiles with their parents (its loop over them begins at len(stx), which counts
// hashes, not tiles). So records are also compared here, and every file in checkFiles.
func (l *log) checkThroughTiles() error {
	client := tlog.TileHashReader(l.tree, l)
	for level := 0; l.tree.N>>uint(height*level) > 0; level++ {
		for _, tile := range l.tilesOf(level) {
			authentic, err := tlog.ReadTileData(tile, client)
			if err != nil {
				return fmt.Errorf("%s: %w", path(tile), err)
			}
			if level > 0 {
				continue
			}
			for i := 0; i < tile.W; i++ {
				leaf := tlog.RecordHash(l.records[tile.N*width+int64(i)])
				if !bytes.Equal(authentic[i*tlog.HashSize:(i+1)*tlog.HashSize], leaf[:]) {
					return fmt.Errorf("record %d is not the one of %s", tile.N*width+int64(i), path(tile))
				}
			}
		}
	}
	return nil
}

func (l *log) checkRoot() error {
	root, err := tlog.TreeHash(l.tree.N, l)
	if err != nil {
		return err
	}
	// For the empty tree, version 0.7.0 of tlog gives zeros instead of RFC 6962's hash of nothing.
	if l.tree.N > 0 && root != l.tree.Hash {
		return fmt.Errorf("the root over all records is %v, the checkpoint's %v", root, l.tree.Hash)
	}
	return nil
}

// checkFiles compares every file under tile/, including older partial ones, with what is computed from the records.
func (l *log) checkFiles() (int, error) {
	files := 0
	err := filepath.WalkDir(filepath.Join(l.folder, "tile"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(l.folder, file)
		if err != nil {
			return err
		}
		tile, err := tileAt(filepath.ToSlash(name))
		if err != nil {
			return err
		}
		found, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		expected, err := l.contentOf(tile)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !bytes.Equal(found, expected) {
			return fmt.Errorf("%s: not what follows from the records", name)
		}
		files++
		return nil
	})
	return files, err
}

func (l *log) contentOf(tile tlog.Tile) ([]byte, error) {
	if tile.L >= 0 {
		return tlog.ReadTileData(tile, l)
	}
	first, end := tile.N*width, tile.N*width+int64(tile.W)
	if end > l.tree.N {
		return nil, fmt.Errorf("the checkpoint has %d records", l.tree.N)
	}
	var bundle []byte
	for _, record := range l.records[first:end] {
		bundle = append(bundle, byte(len(record)>>8), byte(len(record)))
		bundle = append(bundle, record...)
	}
	return bundle, nil
}

// checkOwnProofs makes proofs from the tiles for records and sizes all over the log, and checks them.
func (l *log) checkOwnProofs() (int, error) {
	client := tlog.TileHashReader(l.tree, l)
	made := 0
	step := l.tree.N/500 + 1
	for n := int64(0); n < l.tree.N; n += step {
		inclusion, err := tlog.ProveRecord(l.tree.N, n, client)
		if err != nil {
			return made, err
		}
		if err := tlog.CheckRecord(inclusion, l.tree.N, l.tree.Hash, n, tlog.RecordHash(l.records[n])); err != nil {
			return made, fmt.Errorf("record %d: %w", n, err)
		}
		older, err := tlog.TreeHash(n+1, l)
		if err != nil {
			return made, err
		}
		consistency, err := tlog.ProveTree(l.tree.N, n+1, client)
		if err != nil {
			return made, err
		}
		if err := tlog.CheckTree(consistency, l.tree.N, l.tree.Hash, n+1, older); err != nil {
			return made, fmt.Errorf("size %d: %w", n+1, err)
		}
		made += 2
	}
	return made, nil
}

// checkInclusion checks a C2SP tlog-proof of one of the log's records with the proof's own checkpoint.
func (l *log) checkInclusion(text string, verifier note.Verifier) error {
	parts := strings.SplitN(text, "\n\n", 2)
	lines := strings.Split(parts[0], "\n")
	if len(parts) != 2 || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("not a tlog-proof")
	}
	tree, err := openCheckpoint(parts[1], verifier)
	if err != nil {
		return err
	}
	digits := strings.TrimPrefix(lines[1], "index ")
	index, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || "index "+strconv.FormatInt(index, 10) != lines[1] {
		return fmt.Errorf("not an index: %q", lines[1])
	}
	if index < 0 || index >= l.tree.N {
		return fmt.Errorf("no record %d", index)
	}
	var path tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		if err != nil || hash.String() != line {
			return fmt.Errorf("not a hash: %q", line)
		}
		path = append(path, hash)
	}
	return tlog.CheckRecord(path, tree.N, tree.Hash, index, tlog.RecordHash(l.records[index]))
}
