/**
 * The dark modules of a QR code as the path of an SVG element, one unit for each module: neighbours in a row are one
 * rectangle.
 */
export function pathOf(modules: readonly (readonly boolean[])[]): string {
  const pieces: string[] = []
  modules.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue
      const end = row.indexOf(false, x)
      const width = (end === -1 ? row.length : end) - x
      pieces.push(`M${x} ${y}h${width}v1h-${width}z`)
      x += width
    }
  })
  return pieces.join('')
}
