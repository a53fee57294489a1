import type {
  AiReactionInList,
  AiSessionInList,
  AiTestRun,
  CodeReactionInList,
  CodeStrategyInList,
  Operations,
  Run,
  Tagged,
  TestRun,
} from '@tickwright/client'
import { Type } from 'typebox'
import { ToolRefusal } from './api.ts'
import { asText, omit, pageOf, partOfEvents, pick, type ToolResult, withText } from './results.ts'
import {
  Id,
  Kind,
  kinds,
  Offset,
  oneOf,
  orNull,
  paging,
  readingTool,
  Since,
  signalActions,
  writingTool,
} from './tool.ts'

const listed = [
  'id',
  'name',
  'folder_id',
  'status',
  'symbol',
  'webhook_id',
  'data_webhook_id',
  'cron_interval',
  'price_symbol',
  'last_run_at',
  'next_run_at',
  'next_run_reason',
  'suspended_until',
] as const

type InList = CodeStrategyInList | CodeReactionInList | AiReactionInList | AiSessionInList

const listStrategies = readingTool({
  name: 'list_strategies',
  description:
    'List your strategies of one kind. strategy: code on a schedule or on prices; reaction: code on payloads of a data webhook; ai_reaction: a prompt instead; ai_session: a prompt on a schedule.',
  input: { kind: Kind, folder_id: Type.Optional(Id), ...paging },
  run: ({ kind, folder_id, ...page }, { api }) =>
    pageOf<InList>(
      page,
      (window) => api(`GET ${kinds[kind].path}?{query}`, { folder_id, ...window }),
      (strategy) => pick(strategy, listed),
    ),
})

const longTexts = ['code', 'prompt', 'storage', 'response'] as const
type LongTexts = { [Name in (typeof longTexts)[number]]?: string | null }
const Part = Type.Optional(oneOf(longTexts))

const getStrategy = readingTool({
  name: 'get_strategy',
  description: 'Read a strategy with its code or prompt; part selects another long text instead.',
  input: { kind: Kind, id: Id, part: Part, offset: Offset },
  run: async ({ kind, id, part = kinds[kind].text, offset = 0 }, { api }) => {
    const strategy = await api(`GET ${kinds[kind].path}/{id}`, id)
    const texts: LongTexts = { ...strategy, storage: asText(strategy.storage) }
    const beside = { id, version: versionIn(strategy), ...omit(strategy, longTexts) }
    return withText(part, texts[part] ?? null, offset, beside)
  },
})

/** The number of the version with which the tag of the settings begins. */
const versionIn = ({ etag }: Tagged) => Number.parseInt(etag.slice(1), 10)

const runInList = (run: Omit<Run, 'version' | 'seen' | 'clock' | 'transcript'>) => ({
  ...pick(run, ['id', 'trigger', 'status', 'queued_at', 'duration_ms', 'delivery_id', 'signal_id']),
  ...(run.error === null ? {} : { error: run.error.message.slice(0, 200) }),
  ...(run.violation === null ? {} : { violation: run.violation.rule }),
})

const listRuns = readingTool({
  name: 'list_runs',
  description: 'List the runs of a strategy.',
  input: { kind: Kind, strategy_id: Id, ...paging },
  run: ({ kind, strategy_id, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api(`GET ${kinds[kind].path}/{id}/runs?{query}`, strategy_id, window),
      runInList,
    ),
})

const findRuns = readingTool({
  name: 'find_runs',
  description:
    'Find runs of all strategies, newest first. q finds a text in the log, error or payload. With next_before, go on with before, even if a page is short.',
  input: {
    strategy_id: Type.Optional(Id),
    webhook_id: Type.Optional(Id),
    status: Type.Optional(oneOf(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'VIOLATION', 'SKIPPED'])),
    trigger: Type.Optional(oneOf(['schedule', 'tick', 'manual', 'webhook', 'replay'])),
    since: Since,
    until: Since,
    q: Type.Optional(Type.String({ maxLength: 256 })),
    before: Type.Optional(Id),
    limit: paging.limit,
  },
  run: ({ limit, ...query }, { api }) =>
    partOfEvents(
      limit,
      (limit) => api('GET /api/v2/run?{query}', { ...query, limit }),
      (run) => ({ strategy_id: run.strategy_id, ...runInList(run) }),
    ),
})

const getRun = readingTool({
  name: 'get_run',
  description: 'Read a run: error, HTTP requests and log, or its transcript.',
  input: { id: Id, offset: Offset },
  run: async ({ id, offset = 0 }, { api }) => {
    const { log, transcript, seen, ...run } = await api('GET /api/v2/run/{id}', id)
    const beside = { ...run, seen: seen && { ...seen, state: asText(seen.state) } }
    if (transcript === null) return withText('log', log, offset, beside)
    return withText('transcript', asText(withoutPictures(transcript)), offset, beside)
  },
})

const WholeNumber = Type.Optional(orNull<number>('integer'))
const Flag = Type.Optional(Type.Boolean())

type StrategyKind = keyof typeof kinds
/** The bodies of the requests that create or test a strategy of this kind. */
type Created<K extends StrategyKind> = Operations[`POST ${(typeof kinds)[K]['path']} {body}`]['arguments'][0]
type Tested<K extends StrategyKind> =
  Operations[`POST ${(typeof kinds)[K]['path']}/{id}/test {body}`]['arguments'][1]

const anyKind = ['name', 'folder_id', 'send_signal', 'webhook_id', 'symbol', 'reason'] as const
const code = ['code', 'use_price', 'exchange_id', 'price_symbol'] as const
const reaction = ['data_webhook_id', 'delay'] as const
const schedule = ['cron_interval', 'timezone'] as const
const model = [
  ...(['prompt', 'connection_id', 'actions', 'max_size', 'tokens_per_day', 'actions_per_day'] as const),
] as const
/** The fields that an agent can set. Not `visibility` and `needs_approval`: those are for a person to decide. */
const settable: { [K in StrategyKind]: readonly (keyof Created<K>)[] } = {
  strategy: [...anyKind, ...code, ...schedule],
  reaction: [...anyKind, ...code, ...reaction],
  ai_reaction: [...anyKind, ...reaction, ...model],
  ai_session: [...anyKind, ...schedule, ...model],
}

const saveStrategy = writingTool({
  name: 'save_strategy',
  description:
    'Without id: create a strategy, which starts INACTIVE. With id: change the given fields; an ACTIVE strategy continues with the change. Read the docs pages runtime and strategies before you write code.',
  input: {
    kind: Kind,
    id: Type.Optional(Id),
    name: Type.Optional(Type.String()),
    code: Type.Optional(Type.String({ description: 'JavaScript' })),
    prompt: Type.Optional(Type.String({ description: 'for ai_reaction and ai_session' })),
    send_signal: Flag,
    symbol: Type.Optional(orNull<string>('string', 'symbols of its signals, comma-separated')),
    webhook_id: Type.Optional(orNull<number>('integer', 'bot webhook that receives its signals')),
    data_webhook_id: Type.Optional(orNull<number>('integer', 'data webhook that triggers a reaction')),
    delay: WholeNumber,
    cron_interval: Type.Optional(
      Type.String({ description: 'for strategy and ai_session: 1M, 4H, cron …; TICK for strategy' }),
    ),
    timezone: Type.Optional(Type.String()),
    use_price: Flag,
    exchange_id: WholeNumber,
    price_symbol: Type.Optional(orNull<string>('string')),
    folder_id: WholeNumber,
    connection_id: Type.Optional(orNull<number>('integer', 'AI connection')),
    actions: Type.Optional(Type.Array(oneOf(signalActions))),
    max_size: Type.Optional(orNull<number>('number')),
    tokens_per_day: Type.Optional(Type.Integer()),
    actions_per_day: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String()),
    version: Type.Optional(Type.Integer({ description: 'save only if still current' })),
  },
  hints: { destructiveHint: true },
  run: async ({ kind, id, version, ...fields }, { api }) => {
    const known: readonly string[] = settable[kind]
    const unknown = Object.keys(fields).filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new ToolRefusal(`${kind} has no field ${unknown.join(', ')}.`)
    const { path } = kinds[kind]
    if (id === undefined && version !== undefined) throw new ToolRefusal('Pass the id of the strategy too.')
    const condition = version === undefined ? {} : { ifMatch: `"${version}"` }
    const saved =
      id === undefined
        ? await api(`POST ${path} {body}`, fields)
        : await api(`PUT ${path}/{id} {body}`, id, fields, condition)
    const made = versionIn(saved)
    const { changed, saved_at } = await api(`GET ${path}/{id}/versions/{version}`, saved.id, made)
    const value = { ...pick(saved, ['id', 'name', 'status', 'updated_at']), version: made }
    // A save that changes nothing that runs makes no version.
    return { value: { ...value, changed: saved_at === saved.updated_at ? changed : [] } }
  },
})

const testStrategy = writingTool({
  name: 'test_strategy',
  description:
    'Run code or ask the model; no signals, nothing stored. With id: the saved strategy, or code/prompt instead of its own. Without id: code alone. http: read sends only GET requests, none sends none.',
  input: {
    kind: Kind,
    id: Type.Optional(Id),
    code: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String()),
    symbol: Type.Optional(Type.String({ description: 'only without id' })),
    payload: Type.Optional(Type.Unknown()),
    price: Type.Optional(Type.Number()),
    storage: Type.Optional(Type.Unknown()),
    last_trigger: Type.Optional(
      Type.Unsafe<NonNullable<Tested<StrategyKind>['last_trigger']>>({
        type: 'object',
        properties: {},
        description: '{action, price, at}',
      }),
    ),
    http: Type.Optional(oneOf(['read', 'none'])),
  },
  foreign: true,
  hints: { destructiveHint: false },
  run: async ({ kind, id, ...test }, { api }) => {
    const asksModel = kind === 'ai_reaction' || kind === 'ai_session'
    const unfit = [
      ...(asksModel ? ['code', 'price', 'http'] : ['prompt']),
      ...(kind === 'ai_session' ? ['payload'] : []),
    ]
    const unknown = [...unfit, ...(id === undefined ? [] : ['symbol'])].filter((name) => name in test)
    if (unknown.length > 0) {
      throw new ToolRefusal(`This test of ${kind} does not accept ${unknown.join(', ')}.`)
    }
    if (id !== undefined) return shownTest(await api(`POST ${kinds[kind].path}/{id}/test {body}`, id, test))
    if (asksModel) throw new ToolRefusal(`Pass the id of a saved ${kind}.`)
    const { code } = test
    if (code === undefined) throw new ToolRefusal(`Pass the id of a saved ${kind}, or code.`)
    return shownTest(await api(`POST ${kinds[kind].path}/test {body}`, { ...test, code }))
  },
})

function shownTest(trace: TestRun | AiTestRun): ToolResult {
  const storage = { before: asText(trace.storage.before), after: asText(trace.storage.after) }
  if ('transcript' in trace) {
    const { transcript, ...beside } = trace
    return withText('transcript', asText(withoutPictures(transcript)), 0, { ...beside, storage })
  }
  const { log, limits: _limits, ...beside } = trace
  return withText('log', log, 0, { ...beside, storage })
}

/** A picture in Base64 would fill many parts, and no agent could see it. */
function withoutPictures(transcript: AiTestRun['transcript']): unknown[] {
  return transcript.map((entry) => (entry.picture ? { ...entry, picture: '(a picture)' } : entry))
}

export const strategyTools = [
  listStrategies,
  getStrategy,
  listRuns,
  findRuns,
  getRun,
  saveStrategy,
  testStrategy,
]
