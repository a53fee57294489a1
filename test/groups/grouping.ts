/**
 * Says which test files share a process. To start a process and to load code takes more processor time than most files need
 * for their tests, so files share one unless their own text says that they need a process for themselves.
 */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allImports, type Import } from '../imports.ts'
import { root } from '../repository.ts'

/** Every test file of the repository. */
const everywhere = [
  'packages/*/{src,test}/**/*.test.ts',
  'examples/**/*.test.ts',
  'clients/**/*.test.ts',
  'bench/**/*.test.ts',
  'fuzz/*.test.ts',
  'test/*.test.ts',
]
/**
 * The places of files that may share a process. Those of the sandbox look at the processes that theirs has started, and those
 * of live trading wait for answers that come late.
 */
const sharing = /^packages\/(client|cli|dashboard\/src|server\/(?!src\/trading\/live\/))/
/**
 * Where files with databases and services share, too. Each job of backtests takes as long as a whole group, and the tests of
 * the helpers themselves look at what these leave.
 */
const sharingServices = /^packages\/(client|cli|server\/src\/(?!backtests\/jobs\/))/
/** What a file contains that needs a process of its own, by the reason. */
const reasons: Record<string, RegExp> = {
  'it reads or changes its process':
    /\bprocess\.(env|memoryUsage|cpuUsage|resourceUsage|getActiveResourcesInfo|chdir|on|once|emit|exit)\b/,
  'it changes what all code uses':
    /\bmock\.timers\b|\bglobalThis\b|\bconsole\.\w+ = |setFlagsFromString|registerHooks/,
  'it measures time': /\bperformance\.now\(/,
  'it starts processes, so the start of its own hardly counts':
    /child_process|startProcess|startInVain|runCommand|launchService|createEmbeddedDatabase|service-launcher/,
  'it opens pages, so the start of its process hardly counts':
    /playwright|chromium|pagesService|openPage|open-page/,
}

/** Helpers with which tests open databases, services and sandboxes. */
const services = new Set([
  'packages/server/test/postgres.ts',
  'packages/server/test/offered-service.ts',
  'packages/sandbox/src/index.ts',
])

/** A group takes about as long as the longest single files. Each file that opens a service takes some seconds. */
const filesAtMost = { withService: 6, without: 24 }

export type Grouping = {
  /** Files that share a process, by their paths from the root. */
  groups: string[][]
  /** Files with a process of their own. */
  alone: string[]
}

/** @returns all test files, in the order of their paths */
export async function groupTestFiles(): Promise<Grouping> {
  const files = globSync(everywhere, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  const candidates = files.filter((file, n) => sharing.test(file) && whyAlone(texts[n]!) === undefined)
  const imports = Map.groupBy(await allImports(), ({ file }) => file)
  const opening = new Set(candidates.filter((file) => opensService(file, imports)))
  const withService = [...opening].filter((file) => sharingServices.test(file))
  const without = candidates.filter((file) => !opening.has(file))
  // The longest come first, so that none of them runs alone at the end.
  const groups = [
    ...chunksOf(withService, filesAtMost.withService),
    ...chunksOf(without, filesAtMost.without),
  ]
  const grouped = new Set(groups.flat())
  return { groups, alone: files.filter((file) => !grouped.has(file)) }
}

/** Why a test file needs a process of its own; `undefined` if it needs none. */
export function whyAlone(text: string): string | undefined {
  return Object.entries(reasons).find(([, contained]) => contained.test(text))?.[0]
}

/** Whether a test file imports what opens databases, services or sandboxes, directly or through other files. */
function opensService(file: string, imports: ReadonlyMap<string, readonly Import[]>): boolean {
  const own = imports.get(file) ?? []
  if (own.some(({ specifier }) => specifier === '@tickwright/sandbox')) return true
  const reached = new Set([file])
  // A set also goes through what is added meanwhile.
  for (const each of reached) {
    if (services.has(each)) return true
    for (const { target } of imports.get(each) ?? []) if (target !== undefined) reached.add(target)
  }
  return false
}

/** As many in each, and neighbours together: they load much of the same code. */
function chunksOf(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most)
  const size = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, n) => files.slice(n * size, (n + 1) * size))
}
