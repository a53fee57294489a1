/** How the numbers of a column come to stand below each other: each gets the room that the longest ones need. */

import { decimalSign, fractionDigits } from '../base/numbers.ts'

/** What the numbers of a column need: digits after the point, and the units beside them. */
export type Room = { digits: number; units: string }

/** Units are short, and a column has few of them. Others may be wider than their room. */
const mostUnits = 24

/**
 * The room of one column. It only grows: while a long list is scrolled, nothing in it moves to and fro.
 */
export class ColumnRoom {
  /** Whether the column has a width of its own, so that its numbers may be too long for it. */
  readonly isFixed: boolean
  #room: Room = { digits: 0, units: '' }
  #units = new Set<string>()
  #listeners = new Set<() => void>()

  constructor(isFixed: boolean) {
    this.isFixed = isFixed
  }

  /** Makes room for a number as it is shown, and for its unit. */
  add(number: string, unit: string | undefined): void {
    const digits = Math.max(this.#room.digits, fractionDigits(number))
    if (unit !== undefined && this.#units.size < mostUnits) this.#units.add(unit)
    const units = [...this.#units].join('\n')
    if (digits === this.#room.digits && units === this.#room.units) return
    this.#room = { digits, units }
    for (const listener of this.#listeners) listener()
  }

  read = (): Room => this.#room

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The digits, with their point if need be, that a number lacks to be as long as the longest of its column. */
export function paddingFor(number: string, digits: number): string {
  const own = fractionDigits(number)
  if (own >= digits) return ''
  return (own === 0 ? decimalSign() : '') + '0'.repeat(digits - own)
}

/** About how wide the units of a column are, in digits. */
export function roomForUnits(units: string): number {
  return units === '' ? 0 : 0.5 + Math.max(...units.split('\n').map((unit) => unit.length))
}
