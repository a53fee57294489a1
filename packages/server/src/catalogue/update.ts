/**
 * Writes to `facts/ccxt.csv` what the installed ccxt supports, and appends a line to `facts/ids.csv` for each entry
 * that has no id yet. Run it after an update of ccxt and after a change of `facts/dexes.ts`.
 */
import { appendFile, writeFile } from 'node:fs/promises'
import { listable } from './entries.ts'
import { ccxtFile, formatCcxtFacts } from './facts/ccxt.ts'
import { dexes } from './facts/dexes.ts'
import { formatRegistration, idsFile, missingRegistrations, readRegistrations } from './facts/ids.ts'
import { readCcxt } from './read-ccxt.ts'

const facts = readCcxt()
await writeFile(ccxtFile, formatCcxtFacts(facts))

const lines = missingRegistrations(readRegistrations(), listable(facts, dexes))
  .map(formatRegistration)
  .join('')
await appendFile(idsFile, lines)
console.log(
  lines === ''
    ? 'There are no new entries.'
    : `New entries. Check their names before you commit them:\n${lines}`,
)
