package runtime

// The helpers for functions with very many sites: each is the one without Call, but is not
// inlined, so that the time to compile such a function does not grow with the square of its
// sites.

//go:noinline
//go:norace
func PtrCall[T any](p *T, s *Site, slow func(*Counter, uintptr, *Site)) *T {
	return Ptr(p, s, slow)
}

//go:noinline
//go:norace
func SliceCall[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site)) []T {
	return Slice(x, s, slow)
}

//go:noinline
//go:norace
func SeenCall[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site)) {
	Seen(x, s, slow)
}

//go:noinline
//go:norace
func RefCall[R any](r R, s *Site, slow func(*Counter, uintptr, *Site)) R {
	return Ref(r, s, slow)
}

//go:noinline
//go:norace
func PtrOfCall[T any](p *T, s *Site, slow func(*Counter, uintptr, *Site, any)) *T {
	return PtrOf(p, s, slow)
}

//go:noinline
//go:norace
func SliceOfCall[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site, any)) []T {
	return SliceOf(x, s, slow)
}

//go:noinline
//go:norace
func SliceAsCall[S, T any](x []T, typ *S, s *Site, slow func(*Counter, uintptr, *Site, any)) []T {
	return SliceAs(x, typ, s, slow)
}

//go:noinline
//go:norace
func SeenOfCall[S any](x S, s *Site, slow func(*Counter, uintptr, *Site, any)) {
	SeenOf(x, s, slow)
}

//go:noinline
//go:norace
func RefOfCall[R any](r R, s *Site, slow func(*Counter, uintptr, *Site, any)) R {
	return RefOf(r, s, slow)
}
