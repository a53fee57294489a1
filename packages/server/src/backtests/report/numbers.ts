/** Numbers as people read them. */

/** A number with so many digits after the point: `−1,234.50`. */
export function numberText(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits)
  const isZero = Number(text) === 0
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0 && !isZero ? '−' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** Money as people read it: to the cent, and small amounts to four digits. */
export function moneyText(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 1 || size < 1e-12 ? 2 : Math.min(12, 3 - Math.floor(Math.log10(size)))
  return numberText(value, digits)
}

/** A price or a size, which may need all its digits. */
export function exactText(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, Math.min(12, 7 - Math.floor(Math.log10(Math.abs(value)))))
  const text = numberText(value, digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

export function percentText(value: number, digits = 2): string {
  return `${numberText(value, digits)} %`
}
