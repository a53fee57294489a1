import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPlainNode, inSandbox } from './both-sides.ts'
import { holders } from './holders.ts'

/** Members that the sandbox removes or replaces. */
const others: Record<string, string[]> = {
  // Replaced, so that stacks show places in the user's code.
  Error: ['prepareStackTrace'],
  Date: ['prototype.toTemporalInstant'],
  RegExp: [
    ...['$1', '$2', '$3', '$4', '$5', '$6', '$7', '$8', '$9', '$_', '$&', '$+', '$`', "$'"],
    ...['input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext'],
  ],
  'Object.getPrototypeOf(() => {})': ['constructor'],
  'Object.getPrototypeOf(async () => {})': ['constructor'],
  'Object.getPrototypeOf(function* () {})': ['constructor'],
  'Object.getPrototypeOf(async function* () {})': ['constructor'],
  'Object.getPrototypeOf(new Int8Array(1).buffer)': [
    'constructor',
    ...['resize', 'transfer', 'transferToFixedLength', 'transferToImmutable', 'sliceToImmutable'],
  ],
}

/** Lists `name kind name length` for each member of an object and of its prototype. */
const listing = (holder: string) => `
  const kindOf = (value) => (typeof value === 'function' ? \`function \${value.name} \${value.length}\` : typeof value)
  const members = (object, prefix) => {
    const symbols = Object.getOwnPropertySymbols(object)
    return [...Object.getOwnPropertyNames(object), ...symbols].map((key) => {
      const { enumerable } = Object.getOwnPropertyDescriptor(object, key)
      let kind = 'unreadable'
      try { kind = kindOf(object[key]) } catch {}
      return \`\${prefix}\${String(key)}: \${kind}\${enumerable ? ' enumerable' : ''}\`
    })
  }
  const holder = ${holder}
  const own = members(holder, '')
  const inherited = typeof holder === 'function' && holder.prototype ? members(holder.prototype, 'prototype.') : []
  return [...own, ...inherited].sort().join('\\n')`

for (const holder of holders) {
  test(`has the same members as in plain Node: ${holder}`, async () => {
    const snippet = listing(holder)
    const [plain, sandbox] = await Promise.all([
      membersIn(inPlainNode, snippet),
      membersIn(inSandbox, snippet),
    ])
    const isCommon = (member: string) => !others[holder]?.includes(member.slice(0, member.indexOf(':')))
    assert.deepEqual(sandbox.filter(isCommon), plain.filter(isCommon))
    assert.ok(sandbox.length > 1)
  })
}

async function membersIn(runIn: typeof inSandbox, snippet: string): Promise<string[]> {
  const shown = Object.values(await runIn([snippet]))[0]!
  return (JSON.parse(shown) as string).split('\n')
}
