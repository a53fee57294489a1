/** Keeps the words that CONTRIBUTING.md replaces out of code, comments, messages and documentation. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { read, sourceFiles } from './repository.ts'

const replaced: [RegExp, string][] = [
  [/\bsets? (?:\w+ )?off\b|\bsetting (?:\w+ )?off\b/i, 'trigger'],
  [/\banew\b/i, 'again'],
  [/\bat the (?:most|least)\b/i, 'at most, at least'],
  [/\bin place of\b/i, 'instead of'],
  [/\bbut for\b/i, 'except'],
  [/\bwho(?:m|se)?ever\b/i, 'anyone who'],
  [/\blest\b/i, 'so that ... not'],
  [/\bbe it\b/i, 'whether'],
  [/\bof ours\b/i, 'our'],
  [/\bas it were\b/i, 'nothing'],
  [/\bwhereto\b/i, 'where'],
]

/** The files that name the words to forbid them. */
const exempt = new Set(['CONTRIBUTING.md', 'test/plain-english.test.ts'])

test('the pattern of each word finds it, and no other word', () => {
  const count = (text: string) => replaced.filter(([pattern]) => pattern.test(text)).length
  assert.equal(
    count('It sets off a run, anew, at the most once, in place of two, but for tests, lest whoever ...'),
    7,
  )
  assert.equal(count('The best offset: at most one; the newest, latest, and whole answer.'), 0)
})

test('no file uses a word that CONTRIBUTING.md replaces', async () => {
  const files = [...(await sourceFiles()), ...(await documents())].filter((file) => !exempt.has(file))
  assert.ok(files.length > 500)
  const hits: string[] = []
  for (const file of files) {
    // Comments wrap: a term may end on the next line.
    const text = (await read(file)).replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')
    for (const [pattern, better] of replaced) {
      const match = pattern.exec(text)
      if (match !== null) hits.push(`${file}: "${match[0]}" (better: ${better})`)
    }
  }
  assert.deepEqual(hits, [])
})

async function documents(): Promise<string[]> {
  const pages = (await readdir('docs')).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)
  return [...pages, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
}
