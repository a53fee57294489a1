import { execFile } from 'node:child_process'
import { chmod, chown } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'

/** How this process starts programs of PostgreSQL, which refuse to run as root. */
export type WayToRun = {
  /** Programs that start the program and become it. */
  chain: string[]
  /** The user that it runs as, if that is not the user of this process. */
  account: Account | undefined
  /** Whether the chain makes the kernel interrupt the program when this process ends. */
  endsWithParent: boolean
}
export type Account = { name: string; uid: number; gid: number }

/** Any user but root: in its namespace, PostgreSQL sees the files of root as its own. */
const mappedId = 1
/** Accounts that exist for services and own no files that matter. Not `nobody`: code of strategies runs as that user. */
const accountNames = ['postgres', '_postgres', 'daemon']
const dieWithParent = ['setpriv', '--pdeathsig=INT', '--']

/**
 * Finds out how PostgreSQL can run here. As root, the first choice is a user namespace, in which the files stay root's;
 * the second is an account without privileges.
 * @throws {Error} if it cannot; the message says what to do
 */
export async function findWayToRun(binaries: Binaries): Promise<WayToRun> {
  const chains = process.getuid?.() === 0 ? await chainsOfRoot(binaries) : [{ chain: [], account: undefined }]
  for (const { chain, account } of chains) {
    for (const last of [dieWithParent, []]) {
      const way = { chain: [...chain, ...last], account, endsWithParent: last.length > 0 }
      if (await works(binaries, way)) return way
    }
  }
  if (chains.length > 1 || chains[0]?.chain.length !== 0) {
    throw new Error(
      'PostgreSQL does not run as root, and this system allows no user namespaces and has no account that could run it. Start Tickwright as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  // It cannot run at all. Let its own words say why.
  await tryOut(binaries, { chain: [], account: undefined })
  throw new Error(`${binaries.postgres} does not run.`)
}

/** Gives a file or folder to the account that runs PostgreSQL, if it is another one. */
export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid)
}

/** Lets the account pass through a private folder. No other user can, and the account cannot list it. */
export async function letThrough(account: Account | undefined, folder: string): Promise<void> {
  if (account === undefined) return
  await chown(folder, -1, account.gid)
  await chmod(folder, 0o710)
}

type Chain = Pick<WayToRun, 'chain' | 'account'>

async function chainsOfRoot({ env }: Binaries): Promise<Chain[]> {
  const namespace = ['unshare', '--user', `--map-user=${mappedId}`, `--map-group=${mappedId}`, '--']
  const accounts = await Promise.all(accountNames.map((name) => findAccount(name, env)))
  return [
    { chain: namespace, account: undefined },
    ...accounts.flatMap((account) => (account === undefined ? [] : [{ chain: [], account }])),
  ]
}

async function findAccount(name: string, env: Binaries['env']): Promise<Account | undefined> {
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, name], { env })).stdout)
  try {
    return { name, uid: await id('-u'), gid: await id('-g') }
  } catch {
    return undefined
  }
}

function works(binaries: Binaries, way: Chain): Promise<boolean> {
  return tryOut(binaries, way).then(
    () => true,
    () => false,
  )
}

async function tryOut({ postgres, env }: Binaries, { chain, account }: Chain): Promise<void> {
  const [program = postgres, ...args] = [...chain, postgres, '--version']
  await promisify(execFile)(program, args, {
    cwd: '/',
    env,
    ...(account && { uid: account.uid, gid: account.gid }),
  })
}
