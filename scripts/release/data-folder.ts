import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProvider } from '../../packages/server/test/ai/stand-in.ts'
import { startExchange } from '../../packages/server/test/connection.ts'
import { common, readAll } from '../../packages/server/test/releases/answers.ts'
import { fill, model } from '../../packages/server/test/releases/contents.ts'
import { carryOut, filesOf, type Kept, withKept } from '../../packages/server/test/releases/kept.ts'
import { startTelegram } from '../../packages/server/test/telegram.ts'

/**
 * Keeps the data of this version as a fixture that all later versions have to open: a backup with one of everything, and
 * what the API reads of it, except what is another time something else.
 * @returns the folder of both
 */
export async function keepData(version: string): Promise<string> {
  const { folder, backup, kept: file } = filesOf(version)
  const keys = {
    masterKey: randomBytes(32).toString('hex'),
    key: { key: `fixture-${version}`, secret: randomBytes(32).toString('hex') },
  }
  await using work = await mkdtempDisposable(join(tmpdir(), 'tickwright-release-'))
  await using exchange = await startExchange()
  await using provider = await startProvider('openai', model)
  await using telegram = await startTelegram()
  const [first, second] = ['first', 'second'].map((name) => ({
    dataDir: join(work.path, name),
    databaseUrl: null,
  })) as [Place, Place]
  const made = join(work.path, 'new.backup')
  const password = randomBytes(16).toString('hex')
  const outside = {
    ...{ ...exchange.env, ...telegram.env, MARKET: 'live' },
    ...{ HTTP_ALLOW: provider.host, TICKWRIGHT_ADMIN_PASSWORD: password },
  }
  const before = await withKept(
    first,
    keys,
    async (client, url) => {
      await fill(client, { url, password }, { exchange, provider, telegram })
      const answers = await readAll(client)
      await carryOut(first, keys, ['backup', made])
      return answers
    },
    outside,
  )
  await carryOut(second, keys, ['restore', made])
  const after = await withKept(second, keys, readAll)
  const kept: Kept = { ...keys, answers: common(before, after) as Kept['answers'] }
  await mkdir(folder, { recursive: true })
  await copyFile(made, backup)
  await chmod(backup, 0o644)
  await writeFile(file, `${JSON.stringify(kept)}\n`)
  return folder
}

type Place = { dataDir: string; databaseUrl: null }
