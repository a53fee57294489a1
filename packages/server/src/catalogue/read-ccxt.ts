import ccxt from 'ccxt'
import type { CcxtFact } from './facts/ccxt.ts'

type CcxtExchange = {
  name: string
  alias: boolean
  has: Record<string, boolean | 'emulated' | undefined>
  requiredCredentials: Record<string, boolean>
}
type Namespace = Record<string, new () => CcxtExchange>

/**
 * Reads which exchanges the installed ccxt supports, in alphabetical order. This loads all of ccxt and creates an
 * instance of each exchange (about a second, 100 MB), so the service itself reads the result from `facts/ccxt.csv`.
 */
export function readCcxt(): CcxtFact[] {
  const prediction = ccxt.prediction as unknown as Namespace & { exchanges: string[] }
  return [
    ...readNamespace('CEX', ccxt as unknown as Namespace, ccxt.exchanges),
    ...readNamespace('PREDICTION', prediction, prediction.exchanges),
  ]
}

function readNamespace(type: CcxtFact['type'], namespace: Namespace, ids: readonly string[]): CcxtFact[] {
  return (
    [...ids]
      .sort()
      .map((id) => ({ id, exchange: new (namespace[id] as Namespace[string])() }))
      // An alias is an older id of the same exchange, which would be in the catalogue twice.
      .filter(({ exchange }) => !exchange.alias)
      .map(({ id, exchange }) => ({
        type,
        exchange: id,
        name: exchange.name,
        services: type === 'PREDICTION' ? ['prediction'] : services(exchange),
        credentials: Object.keys(exchange.requiredCredentials)
          .filter((credential) => exchange.requiredCredentials[credential])
          .sort(),
      }))
  )
}

function services({ has }: CcxtExchange): string[] {
  return [...(has.spot ? ['spot'] : []), ...(has.swap || has.future ? ['futures'] : [])]
}
