import { decimal, plain } from '../../base/decimals.ts'
import type { BookedOrder, Position } from '../types.ts'
import { nextPrice } from './along-candle.ts'
import { judge, type Marks, type NextStep, noMarks, openedSizeAfter, type Protected } from './plan.ts'
import type { Protection } from './settings.ts'

export type ProtectiveClose = Extract<NextStep, { step: 'close' }>

type State = { settings: Protection; openedSize: string; marks: Marks }

/** The protection of the one position of a replay: the rows of the service, in memory. */
export class ReplayedProtection {
  #state: State | null = null

  get isOn(): boolean {
    return this.#state !== null
  }

  /**
   * What a signal has done to it, as the service counts the fills of an order.
   * @param opening its executed opening, if it has one
   */
  count(opening: BookedOrder | undefined, before: Position, after: Position): void {
    const state = this.#state
    const protection = opening?.protection
    if (protection !== undefined) {
      const isSome = Object.keys(protection).length > 0
      const settings = protection as Protection
      this.#state = isSome ? { settings, openedSize: after.size, marks: noMarks } : null
    } else if (before.side !== after.side) {
      this.#state = null
    } else if (opening !== undefined && state !== null) {
      const added = plain(decimal(after.size).minus(decimal(before.size)))
      const { openedSize, settings, marks } = state
      state.openedSize = openedSizeAfter({ openedSize, added, ...marks }, settings)
    }
  }

  /** See {@link nextPrice}. */
  nextPrice(position: Position, { from, to }: { from: string; to: string }): string {
    const held = this.#heldOf(position)
    return held === null ? to : nextPrice(held.position, held.state.settings, held.state.marks, { from, to })
  }

  /** Looks at the position at a price. @returns what to close of it now */
  closeAt(position: Position, at: { price: string; now: number }): ProtectiveClose | null {
    const held = this.#heldOf(position)
    if (held === null) return null
    const { marks, next } = judge(held.position, held.state.settings, held.state.marks, at)
    held.state.marks = marks
    return next.step === 'close' ? next : null
  }

  #heldOf({ side, size, entryPrice, openedAt }: Position): { position: Protected; state: State } | null {
    const state = this.#state
    if (state === null || side === null || entryPrice === null) return null
    return { position: { side, size, entryPrice, openedAt, openedSize: state.openedSize }, state }
  }
}
