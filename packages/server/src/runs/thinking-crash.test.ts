import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { decide } from '../../test/ai/approval.ts'
import { llmPath, makeAiConnection, makeThinker } from '../../test/ai/reaction.ts'
import { makeDue, makeSession, sessionPath, type TestSession } from '../../test/ai/session.ts'
import { answerJson, call, type Model, startProvider } from '../../test/ai/stand-in.ts'
import { wireFormats } from '../../test/ai/wire-formats.ts'
import { createEmbeddedDatabase, createTestDatabase } from '../../test/databases.ts'
import { type ServiceProcess, startProcess } from '../../test/process.ts'
import { expect, makeReaction, strategyAt } from '../../test/reaction.ts'
import { until } from '../../test/until.ts'

const open = { calls: [call('open_position', { direction: 'LONG' })] }

test('a run whose model is being asked when the service is killed or stopped leaves one signal', async () => {
  let stalls = true
  const held: ServerResponse[] = []
  const hold = (response: ServerResponse) => void held.push(response)
  /** The model of `early` stalls before its action, the others after theirs. That of `rewrite` changes code instead. */
  const model: Model = ({ turn, text }) => {
    const isTest = !/early|late|rewrite/.test(text)
    const rewritten = /rewrite (\d+)/.exec(text)?.[1]
    const code = "$.log('rewritten')"
    const act = rewritten ? { calls: [call('set_strategy', { id: Number(rewritten), code })] } : open
    if (isTest || !stalls) return turn === 0 && !isTest ? act : { text: 'Done.' }
    return turn === 0 && /late|rewrite/.test(text) ? act : hold
  }
  await using provider = await startProvider('openai', model)
  await using database = await createEmbeddedDatabase()
  const start = () => startProcess({ database, env: { HTTP_ALLOW: provider.host, LOG_LEVEL: 'error' } })

  await using first = await start()
  const connection_id = await makeAiConnection(first, provider)
  const make = (prompt: string, more = {}) => makeThinker(first, provider, { connection_id, prompt, ...more })
  const [early, killed, stopped] = [await make('early'), await make('late'), await make('late')]
  await early.post({})
  const asking = await make('late', { needs_approval: true })
  await killed.post({})
  await asking.post({})
  const target = await makeReaction(first, '$.log(1)')
  const changing = await make(`rewrite ${target.id}`, {
    ...{ tools: ['set_strategy'], may_change: [target.id], change_needs_approval: false },
  })
  await changing.post({})
  await until('all models to be asked', async () => held.length === 4)
  await first.killGroup()

  await using second = await start()
  await until('the run that had not acted to be executed again', async () => held.length === 5)
  const [changed] = await endedRuns(second, changing.id)
  assert.deepEqual([changed.status, changed.error.name], ['FAILED', 'interrupted'])
  const versions = await expect(200, second.api('GET', `${target.own}/versions`))
  const by = versions.map(({ reason }: { reason: string | null }) => reason)
  assert.deepEqual(by, [`By the model of run ${changed.id}`, null])
  const made = await expect(200, second.api('GET', `/api/v2/approval?run_id=${changed.id}`))
  assert.deepEqual(
    made.map(({ status }: { status: string }) => status),
    ['NOT_NEEDED'],
  )
  const { steps } = await expect(200, second.api('GET', `/api/v2/run/${changed.id}/trace`))
  assert.equal(steps.filter(({ kind }: { kind: string }) => kind === 'change').length, 1)
  const [ended] = await endedRuns(second, killed.id)
  assert.deepEqual([ended.status, ended.error.name], ['FAILED', 'interrupted'])
  const [asked] = await endedRuns(second, asking.id)
  assert.deepEqual([asked.status, asked.error.name, asked.signal_id], ['FAILED', 'interrupted', null])
  const approvals = await expect(200, second.api('GET', '/api/v2/approval?status=PENDING'))
  assert.deepEqual(
    approvals.map(({ id, status }: { id: number; status: string }) => [id, status]),
    [[asked.approval_id, 'PENDING']],
  )
  await expect(200, decide(second, asked.approval_id, 'approve'))
  await expect(202, second.send('POST', stopped.path, { body: {} }))
  await until('the last model to be asked', async () => held.length === 6)
  assert.equal(await second.stop(), 0, second.output())
  stalls = false

  await using third = await start()
  const [again] = await endedRuns(third, early.id)
  assert.equal(again.status, 'SUCCEEDED')
  const [given] = await endedRuns(third, stopped.id)
  assert.deepEqual([given.status, given.error.name], ['FAILED', 'cancelled'])
  for (const [{ id }, run] of [
    [early, again],
    [killed, ended],
    [asking, asked],
    [stopped, given],
  ] as const) {
    const signals = await expect(200, third.api('GET', `/api/v2/signal?strategy_id=${id}`))
    assert.deepEqual(
      signals.map((signal: { run_id: number; action: string }) => [signal.run_id, signal.action]),
      [[run.id, 'LONG']],
    )
  }
  for (const response of held) response.destroy()
})

test('a session whose service is killed sends one signal, and the times that it missed are one run', async () => {
  let stalls = true
  const held: ServerResponse[] = []
  const hold = (response: ServerResponse) => void held.push(response)
  const model: Model = ({ turn, text }) => {
    if (!/early|late/.test(text)) return { text: 'Done.' }
    if (stalls && turn === (text.includes('late') ? 1 : 0)) return hold
    return turn === 0 ? open : { text: 'Done.' }
  }
  await using provider = await startProvider('openai', model)
  await using database = await createEmbeddedDatabase()
  const start = () => startProcess({ database, env: { HTTP_ALLOW: provider.host, LOG_LEVEL: 'error' } })
  const due = async (session: TestSession, sinceMs?: number) => {
    await using opened = new AsyncDisposableStack()
    await makeDue(await database.open(opened), session.id, sinceMs)
  }
  const day = 24 * 3_600_000
  await using first = await start()
  const connection_id = await makeAiConnection(first, provider)
  const make = (prompt: string) => makeSession(first, { provider, database }, { connection_id, prompt })
  const [early, late] = [await make('early'), await make('late')]
  for (const session of [early, late]) await due(session)
  await until('both models to be asked', async () => held.length === 2)
  // A run that still shows as waiting would stand for the missed times, too.
  await until('both runs to be shown as running', async () => {
    const runs = await expect(200, first.api('GET', '/api/v2/run?status=RUNNING&limit=10'))
    return runs.items.length === 2
  })
  await first.killGroup()

  stalls = false
  for (const session of [early, late]) await due(session, Date.now() - 5 * day)
  await using second = await start()
  const signals = (id: number) => expect(200, second.api('GET', `/api/v2/signal?strategy_id=${id}`))
  const runsOf = async ({ id }: TestSession) => {
    const own = strategyAt(second, sessionPath, id)
    return own.ended(2)
  }
  const [again, missed, ...more] = await runsOf(early)
  assert.deepEqual([again.status, missed.status, more], ['SUCCEEDED', 'SUCCEEDED', []])
  const [interrupted, next, ...others] = await runsOf(late)
  assert.deepEqual([interrupted.status, interrupted.error.name], ['FAILED', 'interrupted'])
  assert.deepEqual([next.status, others], ['SUCCEEDED', []])
  for (const [session, runs] of [
    [early, [missed, again]],
    [late, [next, interrupted]],
  ] as const) {
    assert.deepEqual(
      (await signals(session.id)).map((signal: { run_id: number }) => signal.run_id),
      runs.map(({ id }) => id),
    )
  }
  for (const response of held) response.destroy()
})

test('a node that freezes while its model is asked sends nothing after another node has taken over', async () => {
  const held: ServerResponse[] = []
  const refused: string[] = []
  const model: Model = ({ turn, text, results }) => {
    if (!text.includes('early')) return { text: 'Done.' }
    if (turn === 0) return (response) => void held.push(response)
    refused.push(...results.filter((result) => result.includes('error')))
    return { text: 'Done.' }
  }
  await using provider = await startProvider('openai', model)
  await using database = await createTestDatabase()
  const start = () => startProcess({ database, env: { HTTP_ALLOW: provider.host, LOG_LEVEL: 'error' } })
  await using first = await start()
  const reaction = await makeThinker(first, provider, { prompt: 'early' })
  await reaction.post({})
  await until('the first node to ask', async () => held.length === 1)
  await using second = await start()
  process.kill(first.pid, 'SIGSTOP')
  await until('the second node to ask', async () => held.length === 2)
  answerJson(held[1]!, 200, wireFormats.openai.whole(open))
  const [run] = await endedRuns(second, reaction.id)
  process.kill(first.pid, 'SIGCONT')
  answerJson(held[0]!, 200, wireFormats.openai.whole(open))
  await until('the first node to be refused', async () => refused.length === 1)

  assert.equal(run.status, 'SUCCEEDED')
  const signals = await expect(200, second.api('GET', `/api/v2/signal?strategy_id=${reaction.id}`))
  assert.deepEqual(
    signals.map((signal: { run_id: number }) => signal.run_id),
    [run.id],
  )
  assert.deepEqual(await endedRuns(second, reaction.id), [run])
})

async function endedRuns(service: ServiceProcess, id: number) {
  type Run = { id: number; status: string; error: { name: string }; signal_id: unknown; approval_id: number }
  let runs: Run[] = []
  await until('the run to end', async () => {
    runs = await expect(200, service.api('GET', `${llmPath}/${id}/runs`))
    return runs.length > 0 && runs.every(({ status }) => status !== 'QUEUED' && status !== 'RUNNING')
  })
  return runs as [(typeof runs)[number]]
}
