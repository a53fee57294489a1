/**
 * The characters that charts can write, as strokes in a field 4 wide and 6 high. A chart has its own, because the machine
 * may have no fonts, and because text that consists of strokes cannot become markup.
 */
const strokes: Readonly<Record<string, string>> = {
  ' ': '',
  A: 'M0 6V2L2 0L4 2V6M0 4H4',
  B: 'M0 3H3L4 2V1L3 0H0V6H3L4 5V4L3 3',
  C: 'M4 1L3 0H1L0 1V5L1 6H3L4 5',
  D: 'M0 0H2.5L4 1.5V4.5L2.5 6H0Z',
  E: 'M4 0H0V6H4M0 3H3',
  F: 'M4 0H0V6M0 3H3',
  G: 'M4 1L3 0H1L0 1V5L1 6H3L4 5V3H2.5',
  H: 'M0 0V6M4 0V6M0 3H4',
  I: 'M1 0H3M2 0V6M1 6H3',
  J: 'M4 0V5L3 6H1L0 5',
  K: 'M0 0V6M4 0L0 4M1.3 2.7L4 6',
  L: 'M0 0V6H4',
  M: 'M0 6V0L2 3L4 0V6',
  N: 'M0 6V0L4 6V0',
  O: 'M1 0H3L4 1V5L3 6H1L0 5V1Z',
  P: 'M0 6V0H3L4 1V2L3 3H0',
  Q: 'M1 0H3L4 1V5L3 6H1L0 5V1ZM2.5 4.5L4 6',
  R: 'M0 6V0H3L4 1V2L3 3H0M2 3L4 6',
  S: 'M4 1L3 0H1L0 1V2L1 3H3L4 4V5L3 6H1L0 5',
  T: 'M0 0H4M2 0V6',
  U: 'M0 0V5L1 6H3L4 5V0',
  V: 'M0 0L2 6L4 0',
  W: 'M0 0L1 6L2 3L3 6L4 0',
  X: 'M0 0L4 6M4 0L0 6',
  Y: 'M0 0L2 3L4 0M2 3V6',
  Z: 'M0 0H4L0 6H4',
  0: 'M1.5 0H2.5L4 1.5V4.5L2.5 6H1.5L0 4.5V1.5Z',
  1: 'M0.8 1.2L2 0V6M0.8 6H3.2',
  2: 'M0 1L1 0H3L4 1V2L0 6H4',
  3: 'M0 1L1 0H3L4 1V2L3 3H1.5M3 3L4 4V5L3 6H1L0 5',
  4: 'M3 6V0L0 4H4',
  5: 'M4 0H0V2.5H3L4 3.5V5L3 6H1L0 5',
  6: 'M4 1L3 0H1L0 1V5L1 6H3L4 5V4L3 3H0',
  7: 'M0 0H4L1.5 6',
  8: 'M1 3L0 2V1L1 0H3L4 1V2L3 3H1L0 4V5L1 6H3L4 5V4L3 3',
  9: 'M0 5L1 6H3L4 5V1L3 0H1L0 1V2L1 3H4',
  '.': 'M1.9 6H2.1',
  ',': 'M2 5.7L1.4 7.2',
  ':': 'M1.9 1.7H2.1M1.9 4.7H2.1',
  '/': 'M0 6L4 0',
  '-': 'M0.5 3H3.5',
  '+': 'M0.5 3H3.5M2 1.5V4.5',
  _: 'M0 6.5H4',
  '(': 'M3 0L2 1V5L3 6',
  ')': 'M1 0L2 1V5L1 6',
  '%': 'M0 6L4 0M0.3 0.3H1V1H0.3ZM3 5H3.7V5.7H3Z',
  '?': 'M0 1L1 0H3L4 1V2L2 3.5V4.3M1.9 6H2.1',
}

/** From one character to the next, in units of their field. */
const advance = 5.8
/** The height of a character of size 1. */
const fieldHeight = 6

/** The width of a text, in units of the picture. `size` is the height of a character. */
export function widthOf(text: string, size: number): number {
  return ((text.length * advance - (advance - 4)) * size) / fieldHeight
}

/**
 * A text as SVG paths, which consist of the strokes above and of numbers. Letters are shown as capitals, and a character
 * without strokes as `?`.
 * @param x where it begins, or ends with `anchor: 'end'`; `y`: its middle
 */
export function textOf(
  text: string,
  {
    x,
    y,
    size,
    anchor = 'start',
  }: { x: number; y: number; size: number; anchor?: 'start' | 'middle' | 'end' },
): string {
  const scale = size / fieldHeight
  const width = widthOf(text, size)
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2
  const paths = [...text.toUpperCase()].map((character, index) => {
    const path = strokes[character] ?? strokes['?']!
    const at = (left + index * advance * scale).toFixed(1)
    return path === ''
      ? ''
      : `<path transform="translate(${at} ${(y - size / 2).toFixed(1)})scale(${scale.toFixed(3)})" d="${path}"/>`
  })
  return paths.join('')
}
