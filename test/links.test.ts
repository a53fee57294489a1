import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { test } from 'node:test'
import { read, repositoryFiles, root } from './repository.ts'

test('every link between documents leads to a file, and to a heading if it names one', async () => {
  const documents = (await repositoryFiles()).filter((path) => path.endsWith('.md'))
  const broken: string[] = []
  for (const file of documents) {
    for (const link of linksOf(await read(file))) {
      if (!(await resolves(file, link))) broken.push(`${file}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})

/** The targets of `[text](target)` within the repository, outside code. */
function linksOf(markdown: string): string[] {
  const targets = [...withoutCode(markdown).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  return targets.map((match) => match[1]!).filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
}

async function resolves(from: string, link: string): Promise<boolean> {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? from : posix.join(posix.dirname(from), decodeURIComponent(path))
  if (!(await exists(target))) return false
  return heading === undefined || headingsOf(await read(target)).has(heading)
}

/** The anchors that GitHub derives from headings. */
function headingsOf(markdown: string): Set<string> {
  const headings = [...withoutCode(markdown, { spans: false }).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)]
  return new Set(
    headings.map((match) =>
      match[1]!
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function withoutCode(markdown: string, { spans = true } = {}): string {
  const withoutBlocks = markdown.replaceAll(/^(```+|~~~+)[\s\S]*?^\1/gm, '')
  return spans ? withoutBlocks.replaceAll(/`[^`\n]*`/g, '') : withoutBlocks
}

function exists(path: string): Promise<boolean> {
  return stat(`${root}/${path}`).then(
    () => true,
    () => false,
  )
}
