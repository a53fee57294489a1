/** Keeps version, changelog and tag together, and writes what goes with a release: npm run release */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newestVersion, notesOf, withDate, withVersion } from './changelog.ts'
import { noticesOf, refuseLicences, shippedPackages } from './licences.ts'
import { isLater, isVersion, setVersion, versionsOf } from './versions.ts'

const root = join(import.meta.dirname, '../..')
const changelogFile = join(root, 'CHANGELOG.md')
const usage = `npm run release -- begin VERSION   a version to work on, in every file that has it
npm run release -- date            gives that version the day of today
npm run release -- data            keeps its data, which all later versions have to open
npm run release -- check TAG       whether the tag, the changelog and all files have one released version
npm run release -- files FOLDER    writes the notes, an SBOM and the notices of third parties
`

try {
  await carryOut(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function carryOut([command, argument, ...others]: string[]): Promise<void> {
  const takesArgument = command !== 'date' && command !== 'data'
  if (others.length > 0 || (argument === undefined) === takesArgument) return fail()
  if (command === 'begin') return begin(argument!)
  if (command === 'date') return date()
  if (command === 'data') return data()
  if (command === 'check') return check(argument!)
  if (command === 'files') return writeFiles(argument!)
  fail()
}

function fail(): void {
  process.stderr.write(usage)
  process.exitCode = 2
}

async function begin(version: string): Promise<void> {
  const changelog = await readFile(changelogFile, 'utf8')
  const newest = newestVersion(changelog)
  if (!isVersion(version)) throw new Error('A version has three numbers, such as 2.1.0.')
  if (!newest.isReleased) throw new Error(`${newest.version} is not released yet. Release it first.`)
  if (!isLater(version, newest.version)) throw new Error(`${version} is not later than ${newest.version}.`)
  await setVersion(root, version)
  await writeFile(changelogFile, withVersion(changelog, version))
  process.stdout.write(`Every file has the version ${version}.\n`)
}

async function date(): Promise<void> {
  const changelog = await readFile(changelogFile, 'utf8')
  const { version, isReleased } = newestVersion(changelog)
  if (isReleased) throw new Error(`${version} is released. Begin the next version first.`)
  notesOf(changelog, version)
  await demandOneVersion(version)
  refuseLicences(await shippedPackages(root))
  await writeFile(changelogFile, withDate(changelog, new Date().toISOString().slice(0, 10)))
  process.stdout.write(
    `Commit this, and tag the commit:\n\n  git commit --all --message 'Release ${version}'\n  git tag --sign v${version} --message 'Tickwright ${version}'\n`,
  )
}

async function data(): Promise<void> {
  const { version } = newestVersion(await readFile(changelogFile, 'utf8'))
  await demandOneVersion(version)
  const { keepData } = await import('./data-folder.ts')
  process.stdout.write(`The data of ${version} is in ${await keepData(version)}. Commit it.\n`)
}

async function check(tag: string): Promise<void> {
  const { version, isReleased } = newestVersion(await readFile(changelogFile, 'utf8'))
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and the changelog has ${version}.`)
  if (!isReleased) throw new Error(`The changelog says that ${version} is not released yet.`)
  await demandOneVersion(version)
  refuseLicences(await shippedPackages(root))
  process.stdout.write(`${tag} may be published.\n`)
}

async function demandOneVersion(version: string): Promise<void> {
  for (const [other, files] of await versionsOf(root)) {
    if (other !== version) throw new Error(`The version is ${version}, and ${files.join(', ')} has ${other}.`)
  }
}

async function writeFiles(folder: string): Promise<void> {
  const changelog = await readFile(changelogFile, 'utf8')
  const packages = await shippedPackages(root)
  refuseLicences(packages)
  await mkdir(folder, { recursive: true })
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('RELEASE-NOTES.md', `${notesOf(changelog, newestVersion(changelog).version)}\n`)
  await write('THIRD-PARTY-NOTICES.md', noticesOf(packages))
  await write('sbom.cdx.json', softwareBill())
}

/** CycloneDX, of everything except what only development needs. */
function softwareBill(): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev']
  const bill = JSON.parse(execFileSync('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }).toString())
  // npm takes the name of the folder.
  bill.metadata.component.name = 'tickwright'
  return `${JSON.stringify(bill, null, 2)}\n`
}
