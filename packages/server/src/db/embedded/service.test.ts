/** What becomes of a service and its users when the embedded server, the machine or the disk fails. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { copyCluster } from '../../../test/cluster-template.ts'
import { createEmbeddedDatabase, type TestDatabase } from '../../../test/databases.ts'
import { longPatienceMs, patienceMs } from '../../../test/patience.ts'
import { type ServiceProcess, startInVain, startProcess } from '../../../test/process.ts'
import { makeReaction, type TestReaction } from '../../../test/reaction.ts'
import { type Accepted, checkBooks, code, haveAccepted, movedTo } from '../../../test/survivors.ts'
import { until } from '../../../test/until.ts'
import { clusterFolder } from './cluster.ts'

const run = promisify(execFile)
const env = { WEBHOOK_RATE: '1000000', WEBHOOK_BURST: '1000000', LOG_LEVEL: 'error' }

test('after a kill of the service its server ends, and the next start goes on', async () => {
  await using database = await createEmbeddedDatabase()
  let server: number
  {
    await using service = await startProcess({ database })
    server = await serverOf(database)
    process.kill(service.pid, 'SIGKILL')
    await service.ended
  }
  await until('the server to end', async () => (await workingFolder(server)) === undefined)
  await using again = await startProcess({ database })
  assert.equal((await again.api('GET', '/api/v2/api/key')).status, 200)
})

test('a SIGINT to the whole process group, as from Ctrl-C, ends the service first and its server last', async () => {
  await using database = await createEmbeddedDatabase()
  await using service = await startProcess({ database })
  const server = await serverOf(database)
  process.kill(-service.pid, 'SIGINT')
  assert.equal(await service.ended, 0, service.output())
  assert.doesNotMatch(service.output(), /"level":"error"|did not end in time/)
  assert.equal(await workingFolder(server), undefined)
  assert.ok(!(await readdir(clusterFolder(database.dataDir))).includes('postmaster.pid'), 'it shut down')
})

test('while the server is gone the service answers 503 and says why, and afterwards nothing accepted is lost', async () => {
  await using database = await createEmbeddedDatabase()
  await using service = await startProcess({ database, env })
  const reaction = await makeReaction(service, code)
  const accepted: Accepted = new Map()
  const statuses = new Set<number>()
  const control = new AbortController()
  const posting = (async () => {
    for (let n = 0; !control.signal.aborted; n++) {
      const { status, body } = await reaction.post({ n })
      statuses.add(status)
      if (status === 202) accepted.set(body.id, n)
      // Without a pause, the service would do nothing but refuse while its server is gone.
      await sleep(10)
    }
  })()
  await haveAccepted([accepted], 20)
  const folder = clusterFolder(database.dataDir)
  const first = await serverOf(database)
  // Without its configuration, the server cannot start again.
  const settings = await readFile(join(folder, 'postgresql.conf'))
  await rm(join(folder, 'postgresql.conf'))
  process.kill(first, 'SIGKILL')
  await until('a 503', async () => statuses.has(503))
  await until('health to say why', async () => {
    const { status, body } = await service.send('GET', '/health/ready')
    return status === 503 && /postgresql\.conf/.test(body.parts.database.reason)
  })
  assert.equal((await service.send('GET', '/health/live')).status, 200)
  await writeFile(join(folder, 'postgresql.conf'), settings)
  const before = accepted.size
  await until('payloads to be accepted again', async () => accepted.size > before + 20)
  control.abort()
  await posting
  assert.deepEqual([...statuses].toSorted(), [202, 503])
  assert.notEqual(await serverOf(database), first)
  await checkBooks(service, reaction, accepted)
})

test('a second service on a data folder does not start, and the first goes on', async () => {
  await using database = await createEmbeddedDatabase()
  await using service = await startProcess({ database })
  const { exit, output } = await startInVain({ database })
  assert.equal(exit, 1)
  assert.match(output, /Another Tickwright works on the data folder/)
  assert.equal((await service.api('GET', '/api/v2/api/key')).status, 200)
})

test('a power cut loses nothing that was acknowledged and does nothing twice', async (context) => {
  await using disk = await mountedDisk()
  if (disk === undefined) return context.skip('only root can mount a file system')
  const database = placeOf(disk.folder)
  const accepted: Accepted = new Map()
  let reaction: Awaited<ReturnType<typeof makeReaction>>
  {
    await using service = await startProcess({ database, env })
    reaction = await makeReaction(service, code)
    const posting = postUntilCut(movedTo(service, reaction), accepted)
    await haveAccepted([accepted], 60)
    await disk.cutPower()
    await service.killGroup()
    await posting
    await serverEnds(disk.folder)
  }
  await disk.remount()
  await using service = await startProcess({ database, env })
  await checkBooks(service, movedTo(service, reaction), accepted)
})

test('on a full disk requests get 503, health says why, a stop does not hang, and with room everything goes on', async (context) => {
  await using disk = await mountedDisk(160)
  if (disk === undefined) return context.skip('only root can mount a file system')
  await copyCluster(disk.folder)
  const database = placeOf(disk.folder)
  const accepted: Accepted = new Map()
  const filling = join(disk.folder, 'filling')
  let reaction: Awaited<ReturnType<typeof makeReaction>>
  {
    await using service = await startProcess({ database, env: { ...env, LOG_LEVEL: 'warn' } })
    assert.match(service.output(), /the disk of the data folder is almost full/)
    reaction = await makeReaction(service, code)
    await post(service, reaction.path, accepted, 5)
    await run('sh', ['-c', `cat /dev/zero > "$1" 2>/dev/null || true`, 'sh', filling])
    const ballast = 'x'.repeat(200_000)
    await until('a 503', async () => (await reaction.post({ n: 0, ballast })).status === 503, longPatienceMs)
    const { status, body } = await service.send('GET', '/health/ready')
    assert.equal(status, 503)
    assert.match(body.parts.database.reason, /the disk of the data folder .* is full/)
    await rm(filling)
    await until(
      'the service to go on',
      async () => (await service.send('GET', '/health/ready')).status === 200,
      longPatienceMs,
    )
    await post(service, reaction.path, accepted, 5)
    await run('sh', ['-c', `cat /dev/zero > "$1" 2>/dev/null || true`, 'sh', filling])
    const startMs = performance.now()
    await service.stop()
    assert.ok(performance.now() - startMs < patienceMs, 'the stop ends in time')
  }
  await serverEnds(disk.folder)
  await rm(filling)
  await using service = await startProcess({ database, env })
  await post(service, reaction.path, accepted, 1)
  const runs = movedTo(service, reaction)
  await until('every accepted payload to run', async () => {
    const ran = (await runs.runs()).filter(({ status }) => status === 'SUCCEEDED')
    const deliveries = new Set(ran.map(({ delivery_id }) => delivery_id))
    return [...accepted.keys()].every((id) => deliveries.has(id))
  })
})

async function post(service: ServiceProcess, path: string, accepted: Accepted, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { status, body } = await service.send('POST', path, { body: { n } })
    assert.equal(status, 202, JSON.stringify(body))
    accepted.set(body.id, n)
  }
}

/** Posts until the power is cut: then the service cannot store anything, and soon it is gone. */
async function postUntilCut(reaction: TestReaction, accepted: Accepted): Promise<void> {
  for (let n = 0; ; n++) {
    const answer = await reaction.post({ n }).catch(() => undefined)
    if (answer === undefined || answer.status === 503) return
    assert.equal(answer.status, 202)
    accepted.set(answer.body.id, n)
  }
}

async function serverOf({ dataDir }: TestDatabase): Promise<number> {
  return Number.parseInt(await readFile(join(clusterFolder(dataDir), 'postmaster.pid'), 'utf8'), 10)
}

async function workingFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

/** A data folder on a disk that the test mounted. */
function placeOf(dataDir: string): TestDatabase {
  return {
    dataDir,
    databaseUrl: null,
    open: () => assert.fail('the test reads through the service'),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Waits until no process works below the folder. */
async function serverEnds(folder: string): Promise<void> {
  await until('all processes of the server to end', async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const folders = await Promise.all(pids.map((pid) => workingFolder(Number(pid))))
    return folders.every((each) => each === undefined || !each.startsWith(folder))
  })
}

/** A file system of its own, in a file. `undefined` if this user cannot mount one. */
async function mountedDisk(megabytes = 400) {
  if (process.geteuid?.() !== 0) return undefined
  await using acquired = new AsyncDisposableStack()
  const place = acquired.use(await mkdtempDisposable(join(tmpdir(), 'tickwright-test-')))
  const image = join(place.path, 'image')
  const folder = join(place.path, 'disk')
  await mkdir(folder)
  const mount = () => run('mount', ['-o', 'loop', image, folder])
  try {
    await run('truncate', ['-s', `${megabytes}M`, image])
    await run('mkfs.ext4', ['-q', '-m', '0', image])
    await mount()
  } catch {
    return undefined
  }
  acquired.defer(() => run('umount', ['--lazy', folder]).then(() => undefined))
  await run('chmod', ['700', folder])
  const kept = acquired.move()
  return {
    folder,
    /**
     * Stops the file system at once, without its log (EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH of the Linux
     * kernel's include/uapi/linux/ext4.h): what no program has synced is lost.
     */
    cutPower: () =>
      run('perl', [
        '-e',
        'open(my $f, "<", $ARGV[0]) or die; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die $!',
        folder,
      ]),
    remount: async () => {
      await run('umount', [folder])
      await mount()
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
