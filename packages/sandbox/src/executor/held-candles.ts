/** The candles that the parent has sent lately. Each guest that asks for them gets a copy. */

import type * as IsolatedVm from 'isolated-vm'
import { candlesHeld, type ReplyMessage } from '../messages.ts'
import { Recent } from '../recent.ts'
import type { Ivm } from './ivm.ts'

/** An answer on its way into a guest: JSON, or bytes, which each guest gets a copy of. */
export type GuestAnswer = string | IsolatedVm.ExternalCopy<ArrayBuffer>

export class HeldCandles {
  readonly #ivm: Ivm
  readonly #held = new Recent<number, IsolatedVm.ExternalCopy<ArrayBuffer>>(candlesHeld)

  constructor(ivm: Ivm) {
    this.#ivm = ivm
  }

  /** Must be called for every reply in its order, since the parent counts on what it has sent. */
  answerIn(message: ReplyMessage): GuestAnswer {
    if ('value' in message) return JSON.stringify(message.value)
    const { candles, base64 } = message
    if (base64 !== undefined) {
      // Node keeps short buffers together in one, so this makes one with nothing else in it.
      const { buffer } = new Uint8Array(Buffer.from(base64, 'base64'))
      this.#held.add(candles, new this.#ivm.ExternalCopy(buffer, { transferOut: true }))
    }
    return this.#held.get(candles)!
  }
}
