/** Decimal numbers of files and exchanges, as the service stores them: exactly, and each value in one form. */

/** More digits than any price or volume has. */
const mostDigits = 40

/**
 * The value as plain digits: without exponent, plus sign and zeros that say nothing. `0.10`, `1e-1` and `+.1` are all `0.1`.
 * @returns `undefined` if the text is no decimal number, or has more than 40 digits before or after its point
 */
export function exactly(text: string): string | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent)
  // Zeros around the digits let the point move in either direction.
  const digits = '0'.repeat(Math.max(0, -shift)) + whole + fraction + '0'.repeat(Math.max(0, shift))
  const point = whole.length + Math.max(0, shift)
  const before = digits.slice(0, point).replace(/^0+/, '')
  const after = digits.slice(point).replace(/0+$/, '')
  if (before.length > mostDigits || after.length > mostDigits) return undefined
  const value = `${before === '' ? '0' : before}${after === '' ? '' : `.${after}`}`
  return sign === '-' && value !== '0' ? `-${value}` : value
}
