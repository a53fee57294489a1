import type { Context } from '../context.ts'
import type { LocalObject } from './project.ts'

/** Runs the code of a file as a test run. @param input as in fixtures */
export async function testRun(context: Context, local: LocalObject, input: Record<string, unknown>) {
  const { strategies, reactions } = await context.client()
  const { testCode } = local.kind === 'code-strategy' ? strategies.code : reactions.code
  const { send_signal: sendSignal, symbol, price_symbol: priceSymbol } = local.settings
  const price =
    typeof input.price === 'number' && typeof priceSymbol === 'string'
      ? { price: priceOf(priceSymbol, input.price) }
      : {}
  const body = {
    // A test that reached the network would differ with the weather.
    http: 'none',
    ...input,
    ...price,
    code: local.text ?? '',
    ...(sendSignal !== undefined && { send_signal: sendSignal }),
    ...(symbol !== undefined && { symbol }),
  }
  return testCode(body as Parameters<typeof testCode>[0])
}

/** `$.Price` as it would be for this symbol. A fixture that needs other fields of it gives all of them. */
function priceOf(symbol: string, price: number) {
  return { symbol, price, exchange: '', service: '' }
}
