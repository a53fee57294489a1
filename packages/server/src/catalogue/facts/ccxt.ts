import { readTable, tableLine } from './table.ts'

/** What the catalogue takes from ccxt about one exchange. */
export type CcxtFact = {
  type: 'CEX' | 'PREDICTION'
  /** ccxt's id, lower case. Some are both a CEX and a prediction market. */
  exchange: string
  name: string
  services: string[]
  /** Every credential that ccxt demands before it signs a request, in alphabetical order. */
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

/** The whole file, for the script that writes it. */
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
