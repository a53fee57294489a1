import type { RunHost, RunInput, RunRequest } from '../packages/sandbox/src/index.ts'

/** The part of a run that a benchmark chooses; the rest is the same for all. */
export type RequestPart = Pick<RunRequest, 'strategyId' | 'code'> & {
  storage?: string
  /** The body of the payload. */
  data?: string
  /** The host calls that work; all others reject. */
  host?: Partial<RunHost>
}

const headers = { 'content-type': 'application/json' }
const signal: RunInput['strategy']['signal'] = {
  symbols: ['BTCUSDT'],
  lastTrigger: { action: null, price: null, at: null },
}

/** The request of a reaction's run, with 'send signal' and without 'use price'. */
export function requestOf({ strategyId, code, storage, data = '', host }: RequestPart): RunRequest {
  return {
    strategyId,
    code,
    input: {
      strategy: { id: strategyId, type: 'code-reaction', signal },
      storage: storage ?? null,
      request: { data, headers, ip: '192.0.2.7' },
      price: null,
      env: {},
    },
    host: { ...idleHost, ...host },
  }
}

const refuse = async () => {
  throw new Error('This host does nothing.')
}
const idleHost: RunHost = {
  ...{ checkOptions: refuse, action: refuse, positions: refuse, stop: refuse },
  ...{ http: refuse, rate: refuse, candles: refuse, sign: refuse },
}
