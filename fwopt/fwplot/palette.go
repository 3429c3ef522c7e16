package fwplot

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// paletted returns the image in at most n colours: first the given ones, then
// the most frequent; and for the rest, which are few pixels on the edges of
// lines, the nearest.
func paletted(src image.Image, n int, first []uint32) *image.Paletted {
	img := src.(*image.RGBA)
	rgb := func(i int) uint32 {
		return uint32(img.Pix[i])<<16 | uint32(img.Pix[i+1])<<8 | uint32(img.Pix[i+2])
	}
	count := make(map[uint32]int)
	last, run := rgb(0), 0 // most pixels are like the one before
	for i := 0; i < len(img.Pix); i += 4 {
		if c := rgb(i); c != last {
			count[last] += run
			last, run = c, 0
		}
		run++
	}
	count[last] += run
	colours := slices.SortedFunc(maps.Keys(count), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	var pal color.Palette
	index := make(map[uint32]uint8, len(colours))
	for _, c := range append(slices.Clone(first), colours...) {
		if _, ok := index[c]; ok {
			continue
		}
		c8 := color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
		if len(pal) < n {
			index[c] = uint8(len(pal))
			pal = append(pal, c8)
		} else {
			index[c] = uint8(pal.Index(c8))
		}
	}
	out := image.NewPaletted(img.Bounds(), pal)
	last, now := rgb(0), index[rgb(0)]
	for i := range out.Pix {
		if c := rgb(4 * i); c != last {
			last, now = c, index[c]
		}
		out.Pix[i] = now
	}
	return out
}
