// Verify_cosigned opens a cosigned checkpoint with Go's sumdb/note, which knows nothing of cosignatures; a verifier for
// them is written below, in some twenty lines, from C2SP's tlog-cosignature.
//
//	verify_cosigned CHECKPOINT VKEY [WITNESS-VKEY...]
//
// It prints a line for each signature that verifies. If the log's does not, or one in a witness's name does not, it exits
// with status 1 and one line that says why.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const cosignatureV1 = 4

// cosigner verifies the cosignatures of one witness.
type cosigner struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func newCosigner(vkey string) (*cosigner, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, errors.New("a witness's key has three parts")
	}
	id, err := strconv.ParseUint(parts[1], 16, 32)
	if err != nil {
		return nil, err
	}
	typed, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(typed) != 1+ed25519.PublicKeySize || typed[0] != cosignatureV1 {
		return nil, errors.New("no Ed25519 key of a witness")
	}
	digest := sha256.Sum256([]byte(parts[0] + "\n" + string(typed)))
	if binary.BigEndian.Uint32(digest[:]) != uint32(id) {
		return nil, errors.New("the key has another id")
	}
	return &cosigner{parts[0], uint32(id), ed25519.PublicKey(typed[1:])}, nil
}

func (c *cosigner) Name() string    { return c.name }
func (c *cosigner) KeyHash() uint32 { return c.id }

func (c *cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	message := bytes.Join([][]byte{[]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", timeOf(signature))), text}, nil)
	return ed25519.Verify(c.key, message, signature[8:])
}

func timeOf(signature []byte) uint64 { return binary.BigEndian.Uint64(signature) }

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: verify_cosigned CHECKPOINT VKEY [WITNESS-VKEY...]")
		os.Exit(2)
	}
	if err := verify(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "verify_cosigned:", err)
		os.Exit(1)
	}
}

func verify(file, log string, witnesses []string) error {
	signed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	first, err := note.NewVerifier(log)
	if err != nil {
		return err
	}
	verifiers := []note.Verifier{first}
	for _, vkey := range witnesses {
		witness, err := newCosigner(vkey)
		if err != nil {
			return err
		}
		verifiers = append(verifiers, witness)
	}
	opened, err := note.Open(signed, note.VerifierList(verifiers...))
	if err != nil {
		return err
	}
	if opened.Sigs[0].Name != first.Name() {
		return errors.New("the log did not sign")
	}
	for _, signature := range opened.Sigs {
		if signature.Hash == first.KeyHash() {
			fmt.Println("signed by", signature.Name)
			continue
		}
		decoded, err := base64.StdEncoding.DecodeString(signature.Base64)
		if err != nil {
			return err
		}
		fmt.Printf("cosigned by %s at %d\n", signature.Name, timeOf(decoded[4:]))
	}
	fmt.Println("unknown:", len(opened.UnverifiedSigs))
	return nil
}
