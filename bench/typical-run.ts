import { candlePayload } from './payload.ts'
import { open as openInline } from './runners/inline.ts'
import { typicalCode } from './typical-reaction.ts'

/** The input of a run of the typical code, and the value that it must store, computed without a sandbox. */
export type TypicalRun = { storage: string; data: string; expected: string }

export async function typicalRun(): Promise<TypicalRun> {
  const prices = Array.from({ length: 200 }, (_, index) => 100 + 3 * Math.sin(index / 7))
  const input = { storage: JSON.stringify({ prices, rsi: 50, ema: 100 }), data: candlePayload(1) }
  const inline = await openInline({
    code: typicalCode,
    indicators: '',
    act: async () => {},
    sandbox: { jit: true },
  })
  return { ...input, expected: await inline.run(1, input) }
}
