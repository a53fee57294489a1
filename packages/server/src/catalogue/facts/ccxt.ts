import { readTable, tableLine } from './table.ts'

/** The facts that the catalogue takes from ccxt about one exchange. */
export type CcxtFact = {
  type: 'CEX' | 'PREDICTION'
  /** ccxt's id, in lower case. Some ids are both a CEX and a prediction market. */
  exchange: string
  name: string
  services: string[]
  /** The credentials that ccxt requires before it signs a request, in alphabetical order. */
  credentials: string[]
}

const columns = ['type', 'exchange', 'name', 'services', 'credentials'] as const
export const ccxtFile = new URL('./ccxt.csv', import.meta.url)

export function readCcxtFacts(): CcxtFact[] {
  return readTable(ccxtFile, columns).map((row) => ({
    type: row.type as CcxtFact['type'],
    exchange: row.exchange,
    name: row.name,
    services: words(row.services),
    credentials: words(row.credentials),
  }))
}

/** The content of the file, for the script that writes it. */
export function formatCcxtFacts(facts: readonly CcxtFact[]): string {
  const lines = facts.map((fact) =>
    tableLine(columns, {
      ...fact,
      services: fact.services.join(' '),
      credentials: fact.credentials.join(' '),
    }),
  )
  return `${columns.join(',')}\n${lines.join('')}`
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}
