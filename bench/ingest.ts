import { createApiClient } from '@tickwright/client'
import { startServiceProcess } from '../examples/service-process.ts'
import { setUpReaction } from '../examples/set-up.ts'
import type { BenchContext, Benchmark } from './context.ts'
import { startFloor } from './floor-process.ts'
import type { LoadPlan } from './load-plan.ts'
import { measureInTurns, type Subject } from './measure.ts'
import { candlePayload, payloadBytes } from './payload.ts'
import { againstFloor, type Section } from './report.ts'
import { runWaiter } from './service-metrics.ts'

const connections = 64
const least = { ratio: 0.5 }
/** The limit of a round with runs: runs take longer than their payloads, and the next round waits for them. */
const mostAnswers = { quick: 1000, full: 4000 }
const trivialCode = 'JSON.parse($.Request.data)'

/** Payloads that a webhook accepts, each stored with a queued run, compared with one narrow row by group commit. */
export const ingest: Benchmark = { name: 'ingest', run }

async function run({ generator, backend, quick }: BenchContext): Promise<Section> {
  await using resources = new AsyncDisposableStack()
  const floor = resources.use(
    await startFloor({ file: 'group-commit.ts', settings: await backend.emptyDatabase() }),
  )
  const start = async (name: string, roles: string): Promise<Subject> => {
    const settings = { ...(await backend.emptyDatabase()), ROLES: roles }
    const { access, pid } = resources.use(await startServiceProcess({ settings }))
    const { url } = await setUpReaction(createApiClient(access), {
      name,
      code: trivialCode,
      sendSignal: false,
    })
    const works = roles !== 'api'
    return {
      name,
      plan: plan(url),
      pids: [pid, ...backend.pids],
      ...(works
        ? {
            mostAnswers: quick ? mostAnswers.quick : mostAnswers.full,
            settle: runWaiter(access.baseUrl),
          }
        : {}),
    }
  }
  const [floorFigure, stored, worked] = await measureInTurns(
    generator,
    [
      {
        name: 'floor: one row, group commit',
        plan: plan(`${floor.url}/`),
        pids: [floor.pid, ...backend.pids],
      },
      await start('accepted, its run queued (ROLES=api)', 'api'),
      await start('accepted, while runs are worked off', 'api,worker,scheduler,market'),
    ],
    quick ? { rounds: 2, ms: 500 } : { rounds: 3, ms: 3000 },
  )
  return {
    bench: 'ingest',
    title: `POST of ${payloadBytes} bytes to a webhook with one active reaction, ${connections} connections`,
    rows: [floorFigure!, againstFloor(stored!, floorFigure!, least), againstFloor(worked!, floorFigure!)],
  }
}

function plan(webhookUrl: string): Omit<LoadPlan, 'until'> {
  const { origin, pathname } = new URL(webhookUrl)
  const requests = [{ method: 'POST' as const, path: pathname, body: candlePayload(0) }]
  return { url: origin, requests, connections, perSecond: null, status: 202 }
}
