/** Traces as the API document shows them. */

const run = {
  id: 7,
  strategy_id: 2,
  strategy_name: 'Breakout',
  strategy_type: 'code-reaction',
  version: 4,
  trigger: 'webhook',
  status: 'SUCCEEDED',
  delivery_id: 5,
  signal_id: 3,
  approval_id: null,
}

const ids = { run_id: 7, strategy_id: 2 }

const steps = [
  {
    at: '2026-03-01T12:00:00.000Z',
    offset_ms: 0,
    run_ms: null,
    took_ms: null,
    kind: 'received',
    text: 'The data webhook received the payload.',
    reason: null,
    is_usual: true,
    delivery_id: 5,
  },
  {
    at: '2026-03-01T12:00:00.000Z',
    offset_ms: 0,
    run_ms: null,
    took_ms: 4,
    kind: 'queued',
    text: 'The payload queued the run.',
    reason: null,
    is_usual: true,
    ...ids,
  },
  {
    at: '2026-03-01T12:00:00.005Z',
    offset_ms: 5.31,
    run_ms: 1.31,
    took_ms: null,
    kind: 'log',
    text: 'The price is above the range.',
    reason: null,
    is_usual: true,
    ...ids,
  },
  {
    at: '2026-03-01T12:00:00.040Z',
    offset_ms: 40,
    run_ms: null,
    took_ms: null,
    kind: 'missing',
    text: 'Bot 1 refused the signal.',
    reason: 'The position would be larger than max_position.',
    is_usual: false,
    signal_id: 3,
    bot_id: 1,
    bot_signal_id: 9,
  },
]

const reasons = ['The position would be larger than max_position.']

export const runExample = {
  run,
  steps,
  outcome: {
    status: 'SUCCEEDED',
    text: 'The run succeeded. Its signal went to your bots: 1 REFUSED.',
    reasons,
    is_usual: false,
  },
}

export const scheduleExample = {
  strategy_id: 4,
  cron_interval: '1M',
  timezone: 'UTC',
  ticks: false,
  reason: null,
  times: [
    {
      at: '2026-03-01T12:02:00.000Z',
      outcome: 'NONE',
      run_id: 19,
      run_status: 'SUCCEEDED',
      reason: 'Run 19 still waited for its turn. Until a run has started, no further one is queued.',
    },
    { at: '2026-03-01T12:01:00.000Z', outcome: 'RUN', run_id: 19, run_status: 'SUCCEEDED', reason: null },
  ],
  next_until: '2026-03-01T12:00:59.999Z',
}

export const deliveryExample = {
  delivery: { id: 5, webhook_id: 1, received_at: '2026-03-01T12:00:00.000Z', reactions: 1, runs: [run] },
  steps,
  outcome: {
    status: 'DONE',
    text: '1 reaction got the payload. Your runs: 1 SUCCEEDED. Its signal went to your bots: 1 REFUSED.',
    reasons,
    is_usual: false,
  },
}

export const signalDeliveryExample = {
  delivery: { id: 3, webhook_id: 2, received_at: '2026-03-01T12:00:00.000Z', bots: 1 },
  steps: [
    {
      at: '2026-03-01T12:00:00.000Z',
      offset_ms: 0,
      run_ms: null,
      took_ms: null,
      kind: 'received',
      text: 'The bot webhook received the post.',
      reason: null,
      delivery_id: 3,
    },
    steps.at(-1)!,
  ],
  outcome: { status: 'DONE', text: '1 bot took the signal. Your bots: 1 REFUSED.', reasons },
}
