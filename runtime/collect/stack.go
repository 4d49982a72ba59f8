package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
)

// The stack of a birth is looked up by the addresses that its calls return to. Only one that
// is seen for the first time is turned into frames, inlined calls included, and written to
// the file; nearly always a stack costs no more than walking and hashing it.
const (
	maxDepth = 128 // the greatest FILIP_STACK
	unseen   = 32  // more calls than there are of our own and the runtime's on top of a stack, and wrappers in it

	defaultDepth = 16  // of FILIP_STACK,
	defaultRate  = 100 // at a rate of one in so many or sparser
)

// What our functions are called in an instrumented program.
const (
	ownPackages = "github.com/filip-go/filip+inst/" // is what the names start with, but for
	ownTake     = "filip.take"                      // and filip.takeFrom
)

var (
	stackDepth uint32 // frames noted of a stack at most; 0: no stacks
	stackRoom  uint64 // bytes of the file that entries of frames and stacks may take
	stackBytes uint64 // of these, asked for
	lastStack  uint32 // id of the newest stack entry
	lastFrame  uint32 // id of the newest frame entry

	stackIDs idTable // by the addresses that its calls return to
	frameIDs idTable // by the address that stands for it
)

// How many stacks and frames there are at most.
const (
	maxStacks = 1 << 18
	maxFrames = 1 << 16
)

// parseDepth reads FILIP_STACK. Where it is not set the rate of one in n decides.
func parseDepth(s string, n float64) (depth uint32, ok bool) {
	if s == "" {
		if n >= defaultRate {
			return defaultDepth, true
		}
		return 0, true
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || depth > maxDepth {
			return 0, false
		}
		depth = depth*10 + uint32(s[i]-'0')
	}
	return depth, depth <= maxDepth
}

// startStacks makes room for stacks of a depth. In the file they may take a quarter of what
// records leave to entries: once it is at its bound, sites and the timeline need the rest.
func startStacks(depth uint32) {
	if depth == 0 {
		return
	}
	stackRoom = file.max / reserve / 4 * format.BlockSize
	words := min(2*stackRoom/uint64(wordSize), maxStacks*uint64(depth+1))
	if !stackIDs.create(maxStacks, words) || !frameIDs.create(maxFrames, 2*maxFrames) {
		return
	}
	stackDepth = depth
	*file.u32(format.HeaderStackDepth) = depth
}

// stackID returns the id of the stack entry for the birth at hand, which it writes at the
// stack's first birth: 0 if stacks are off, or if there is no room for it.
func stackID() uint32 {
	if stackDepth == 0 {
		return 0
	}
	id := noteStack(int(stackDepth))
	if id == 0 {
		xadd64(file.u64(format.HeaderStacksLost), 1)
	}
	return id
}

//go:noinline
func noteStack(depth int) uint32 {
	var buf [unseen + maxDepth]uintptr
	pcs := buf[:accessorCallers(buf[:unseen+depth])]
	for len(pcs) > 0 && returnsToOwn(pcs[0]) {
		pcs = pcs[1:]
	}
	if pcs = outside(pcs); len(pcs) == 0 {
		return 0
	}
	for n := depth; ; {
		key := pcs[:min(len(pcs), n)]
		hash, more := hashKey(key), len(key) < len(pcs)
		id := stackIDs.find(key, hash)
		if id == 0 && load64(&stackBytes) <= stackRoom {
			id = stackIDs.add(key, hash, func() uint32 { return writeStack(key, depth, more) })
		}
		if id < andMore {
			return id
		}
		n += int(id - andMore)
	}
}

// andMore and a number stand in place of an id for calls that make so many frames too few,
// because there are wrappers among them.
const andMore = 1 << 31

// ownReturns has addresses that calls from our functions return to.
var ownReturns [64]uint64

// returnsToOwn reports whether pc is in a function of ours, and not in one that ours was
// inlined into.
func returnsToOwn(pc uintptr) bool {
	known := &ownReturns[pc>>2%uintptr(len(ownReturns))]
	if load64(known) == uint64(pc) {
		return true
	}
	if !own(accessorFunction(pc)) {
		return false
	}
	store64(known, uint64(pc))
	return true
}

// own reports whether a function is one of ours.
func own(function string) bool {
	return hasPrefix(function, ownPackages) || hasPrefix(function, ownTake)
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// writeStack writes the entry of a stack, after those of its frames, and returns its id: 0 if
// there is no room, andMore if there are more calls and they are needed. Noting a known
// stack takes less of the goroutine's own without it, so it is not inlined.
//
//go:noinline
func writeStack(pcs []uintptr, depth int, more bool) uint32 {
	var frames [maxDepth]uint32
	n := 0
	kind := uint8(0)
	for _, pc := range pcs {
		for pc != 0 && n < depth {
			var buf [format.MaxString]byte
			size, file, line, outer, calls, hidden := accessorFrame(pc, kind, buf[:])
			kind = calls
			name := unsafe.String(&buf[0], size)
			if !hidden && !own(name) {
				if frames[n] = frameID(pc, name, file, line); frames[n] == 0 {
					return 0
				}
				n++
			}
			pc = outer
		}
	}
	if more && n < depth {
		return andMore + uint32(depth-n)
	}
	if n == 0 {
		return 0
	}
	e, ok := newStackEntry(format.EntryStack, uintptr(8+4*n))
	if !ok {
		return 0
	}
	id := xadd(&lastStack, 1)
	e.u32(id)
	e.u32(uint32(n))
	for _, frame := range frames[:n] {
		e.u32(frame)
	}
	e.commit()
	return id
}

// frameID returns the id of the frame entry for an address, which it writes at the first.
func frameID(pc uintptr, function, name string, line int32) uint32 {
	key := [1]uintptr{pc}
	hash := hashKey(key[:])
	if id := frameIDs.find(key[:], hash); id != 0 {
		return id
	}
	return frameIDs.add(key[:], hash, func() uint32 {
		name = cut(name)
		e, ok := newStackEntry(format.EntryFrame, uintptr(16+len(function)+len(name)))
		if !ok {
			return 0
		}
		id := xadd(&lastFrame, 1)
		e.u32(id)
		e.u32(uint32(line))
		e.string(function)
		e.string(name)
		e.commit()
		return id
	})
}

// newStackEntry is newEntry within the room for stacks.
func newStackEntry(kind uint64, n uintptr) (entry, bool) {
	if xadd64(&stackBytes, int64(n+format.EntryHeadSize+7)&^7) > stackRoom {
		return entry{}, false
	}
	return file.newEntry(kind, n)
}
