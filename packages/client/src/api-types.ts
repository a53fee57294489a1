/** The API as its OpenAPI document describes it. Made by `scripts/client-types.ts`; not to be edited. */

export type Exchange = {
  /** Permanent: it never changes, and no other exchange ever gets it. */
  id: number
  /** `SIM` is the simulated market, whose prices the service generates itself. */
  type: 'CEX' | 'DEX' | 'PREDICTION' | 'SIM'
  name: string
  /** `spot`, `futures` or `prediction`. */
  service: string
  /** Whether you can trade on the exchange here. False where there is no venue yet, and where an administrator says so. */
  enabled: boolean
  /** Whether the exchange provides rates for `$.getExchangeRate`. */
  hasExchangeRate: boolean
  /** Whether the exchange requires more credentials than an API key and a secret. */
  extra: boolean
}

export type ApiKey = {
  id: number
  name: string
  algorithm: 'HMAC' | 'ML-DSA'
  /** The public half, for the header api-key. */
  api_key: string
  /** What agents that use this key by MCP may do. Default read. */
  mcp: 'read' | 'write'
  /** Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional. */
  idempotency: 'optional' | 'required'
  /** What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all. */
  scope: 'all' | 'read' | 'deploy'
  /** ISO 8601, UTC. */
  created_at: string
  last_used_at: string | null
  rotated_at: string | null
}

export type DataWebhook = {
  id: number
  name: string
  description: string
  /** Key protection: every payload must have the password. */
  is_safe: boolean
  /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
  key_from: 'header' | 'header_or_body'
  /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
  content_type: 'json' | 'any'
  /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
  allow_from: string[]
  has_key: boolean
  /** Where senders post. Keep it secret. */
  url: string
  status: 'ACTIVE' | 'INACTIVE'
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type Delivery = {
  id: number
  webhook_id: number
  /** ISO 8601, UTC. */
  received_at: string
  body: string | null
  headers: Record<string, string>
  ip: string
  /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
  sender:
    | 'owner'
    | {
        user_id: number
        /** null if the user was deleted. */
        email: string | null
      }
  idempotency_key: string | null
  /** How many reactions it triggered, including those of other users. */
  reactions: number
  /** The runs of your own reactions. */
  runs: { id: number; strategy_id: number; trigger: string; status: string }[]
}

export type CodeStrategy = {
  id: number
  type: 'code-strategy'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
  cron_interval: string
  /** The IANA time zone of the cron expression. Default `UTC`. */
  timezone: string
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  /** The body of an async function; at most 256 KB. */
  code: string
  /** The stored value, or null. */
  storage: unknown
}

export type CodeStrategyInList = {
  id: number
  type: 'code-strategy'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
  cron_interval: string
  /** The IANA time zone of the cron expression. Default `UTC`. */
  timezone: string
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type CodeReaction = {
  id: number
  type: 'code-reaction'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  /** The data webhook that triggers it. */
  data_webhook_id: number | null
  /** The maximum number of runs per second. */
  delay: number | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  /** The body of an async function; at most 256 KB. */
  code: string
  /** The stored value, or null. */
  storage: unknown
}

export type CodeReactionInList = {
  id: number
  type: 'code-reaction'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  /** The data webhook that triggers it. */
  data_webhook_id: number | null
  /** The maximum number of runs per second. */
  delay: number | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type AiReaction = {
  id: number
  type: 'llm-reaction'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  /** The data webhook that triggers it. */
  data_webhook_id: number | null
  /** The maximum number of runs per second. */
  delay: number | null
  connection_id: number | null
  fallback_id: number | null
  /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
  actions: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size: number | null
  /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
  tools: (
    | 'get_positions'
    | 'get_price'
    | 'get_candles'
    | 'get_indicator'
    | 'get_signal_logs'
    | 'get_error_logs'
    | 'get_storage'
    | 'set_storage'
    | 'append_storage'
    | 'web_fetch'
    | 'set_strategy'
    | 'set_strategy_status'
  )[]
  /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
  may_change: number[]
  /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
  change_needs_approval: boolean
  /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
  tokens_per_day: number
  /** The most actions per day (UTC). Default 100. */
  actions_per_day: number
  /** Whether actions wait for your approval. Default false. */
  needs_approval: boolean
  /** How many minutes an action waits for approval. Default 15. */
  approval_minutes: number
  /** Whether you get each answer of the model by mail. Default false. */
  send_email: boolean
  /** Whether the model sees a chart. Default false. */
  use_chart: boolean
  chart_symbol: string | null
  /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
  chart_interval: string
  /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
  chart_studies: string[]
  chart_range: string | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  /** The instructions to the model, with placeholders; at most 1 MB. */
  prompt: string
  response: string | null
  /** The stored value, or null. */
  storage: unknown
}

export type AiReactionInList = {
  id: number
  type: 'llm-reaction'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  /** The data webhook that triggers it. */
  data_webhook_id: number | null
  /** The maximum number of runs per second. */
  delay: number | null
  connection_id: number | null
  fallback_id: number | null
  /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
  actions: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size: number | null
  /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
  tools: (
    | 'get_positions'
    | 'get_price'
    | 'get_candles'
    | 'get_indicator'
    | 'get_signal_logs'
    | 'get_error_logs'
    | 'get_storage'
    | 'set_storage'
    | 'append_storage'
    | 'web_fetch'
    | 'set_strategy'
    | 'set_strategy_status'
  )[]
  /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
  may_change: number[]
  /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
  change_needs_approval: boolean
  /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
  tokens_per_day: number
  /** The most actions per day (UTC). Default 100. */
  actions_per_day: number
  /** Whether actions wait for your approval. Default false. */
  needs_approval: boolean
  /** How many minutes an action waits for approval. Default 15. */
  approval_minutes: number
  /** Whether you get each answer of the model by mail. Default false. */
  send_email: boolean
  /** Whether the model sees a chart. Default false. */
  use_chart: boolean
  chart_symbol: string | null
  /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
  chart_interval: string
  /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
  chart_studies: string[]
  chart_range: string | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type AiSession = {
  id: number
  type: 'llm-session'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, or a cron expression of five fields. Default `1H`. */
  cron_interval: string
  /** The IANA time zone of the cron expression. Default `UTC`. */
  timezone: string
  connection_id: number | null
  fallback_id: number | null
  /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
  actions: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size: number | null
  /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
  tools: (
    | 'get_positions'
    | 'get_price'
    | 'get_candles'
    | 'get_indicator'
    | 'get_signal_logs'
    | 'get_error_logs'
    | 'get_storage'
    | 'set_storage'
    | 'append_storage'
    | 'web_fetch'
    | 'set_strategy'
    | 'set_strategy_status'
  )[]
  /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
  may_change: number[]
  /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
  change_needs_approval: boolean
  /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
  tokens_per_day: number
  /** The most actions per day (UTC). Default 100. */
  actions_per_day: number
  /** Whether actions wait for your approval. Default false. */
  needs_approval: boolean
  /** How many minutes an action waits for approval. Default 15. */
  approval_minutes: number
  /** Whether you get each answer of the model by mail. Default false. */
  send_email: boolean
  /** Whether the model sees a chart. Default false. */
  use_chart: boolean
  chart_symbol: string | null
  /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
  chart_interval: string
  /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
  chart_studies: string[]
  chart_range: string | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  /** The instructions to the model, with placeholders; at most 1 MB. */
  prompt: string
  response: string | null
  /** The stored value, or null. */
  storage: unknown
}

export type AiSessionInList = {
  id: number
  type: 'llm-session'
  name: string
  folder_id: number | null
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** `PUBLIC`: every user can read and copy the code or the prompt. */
  visibility: 'PRIVATE' | 'PUBLIC'
  /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
  send_signal: boolean
  webhook_id: number | null
  symbol: string | null
  /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, or a cron expression of five fields. Default `1H`. */
  cron_interval: string
  /** The IANA time zone of the cron expression. Default `UTC`. */
  timezone: string
  connection_id: number | null
  fallback_id: number | null
  /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
  actions: ('LONG' | 'SHORT' | 'EXIT')[]
  max_size: number | null
  /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
  tools: (
    | 'get_positions'
    | 'get_price'
    | 'get_candles'
    | 'get_indicator'
    | 'get_signal_logs'
    | 'get_error_logs'
    | 'get_storage'
    | 'set_storage'
    | 'append_storage'
    | 'web_fetch'
    | 'set_strategy'
    | 'set_strategy_status'
  )[]
  /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
  may_change: number[]
  /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
  change_needs_approval: boolean
  /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
  tokens_per_day: number
  /** The most actions per day (UTC). Default 100. */
  actions_per_day: number
  /** Whether actions wait for your approval. Default false. */
  needs_approval: boolean
  /** How many minutes an action waits for approval. Default 15. */
  approval_minutes: number
  /** Whether you get each answer of the model by mail. Default false. */
  send_email: boolean
  /** Whether the model sees a chart. Default false. */
  use_chart: boolean
  chart_symbol: string | null
  /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
  chart_interval: string
  /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
  chart_studies: string[]
  chart_range: string | null
  last_trigger: { action: string | null; price: number | null; at: string | null }
  last_run_at: string | null
  next_run_at: string | null
  next_run_reason: 'no_schedule' | 'inactive' | 'suspended' | 'tick' | 'never_fires' | null
  suspended_until: string | null
  suspension_reason: { run_id: number; rule: string; limit: number; actual: number } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type Folder = {
  id: number
  name: string
  parent_id: number | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type Run = {
  id: number
  strategy_id: number
  /** schedule, tick, manual, webhook or replay. */
  trigger: string
  /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
  status: string
  /** ISO 8601, UTC. */
  queued_at: string
  started_at: string | null
  finished_at: string | null
  duration_ms: number | null
  delivery_id: number | null
  signal_id: number | null
  approval_id: number | null
  error: { name: string; message: string; line: number | null; column: number | null } | null
  violation: { rule: string; limit: number; actual: number } | null
  log: string | null
  /** Its calls of `$.Http`, in order. */
  http: {
    method: string
    /** The address, without secrets. */
    url: string
    /** The status that the code received. */
    status: number
    /** Whether the response came from the cache. */
    cache: boolean
    /** The time until the code had its response, in ms. */
    ms: number
  }[]
  version: number | null
  seen: {
    price: { symbol: string; price: number; exchange: string; service: string } | null
    state: {
      /** The stored value before the run, or null. */
      storage: unknown
      last_trigger: { action: string | null; price: number | null; at: string | null }
    } | null
  } | null
  clock: {
    /** The seed of `Math.random`. */
    seed: number
    /** What `Date` showed at the start of the run. */
    now: string
    /** The answers of the service, in their order. */
    answers: {
      /** The host call, counted from 1. */
      call: number
      /** What `Date` showed from then on, in ms since `now`. */
      ms: number
    }[]
  } | null
  transcript:
    | {
        /** The time since the start of the run, in ms. */
        ms: number
        /** prompt, chart, asked, answer, call, result, failure, or cut. */
        type: string
        text?: string | undefined
        picture?: string | null | undefined
        [field: string]: unknown
      }[]
    | null
}

export type TestRun = {
  /** SUCCEEDED, FAILED or VIOLATION. */
  status: string
  duration_ms: number
  error: {
    name: string
    message: string
    line: number | null
    column: number | null
    /** Every place with a forbidden identifier, if that is the error; at most 100. */
    details?: { message: string; identifier: string; line: number; column: number }[] | undefined
  } | null
  violation: { rule: string; limit: number; actual: number } | null
  /** The output of `$.log`, one line per call. */
  log: string
  http: {
    method: string
    /** The address, without secrets. */
    url: string
    /** The status that the code received. */
    status: number
    /** Whether the response came from the cache. */
    cache: boolean
    /** The time until the code had its response, in ms. */
    ms: number
  }[]
  storage: { before: unknown; after: unknown }
  action: {
    action: 'LONG' | 'SHORT' | 'EXIT'
    symbols: string[]
    price: number | null
    options: Record<string, unknown>
  } | null
  clock: {
    /** The seed of `Math.random`. */
    seed: number
    /** What `Date` showed at the start of the run. */
    now: string
    /** The answers of the service, in their order. */
    answers: {
      /** The host call, counted from 1. */
      call: number
      /** What `Date` showed from then on, in ms since `now`. */
      ms: number
    }[]
  } | null
  /** Whether the strategy would have stopped itself. */
  stopped: boolean
  limits: {
    time_ms: { used: number; max: number }
    storage_bytes: { used: number; max: number }
    log_bytes: { used: number; max: number }
    http_requests: { used: number; max: number }
    host_calls: { used: number; max: number }
    actions: { used: number; max: number }
  }
}

export type AiTestRun = {
  /** SUCCEEDED, FAILED or VIOLATION. */
  status: string
  duration_ms: number
  error: { name: string; message: string; line: number | null; column: number | null } | null
  violation: { rule: string; limit: number; actual: number } | null
  response: string | null
  action: {
    action: 'LONG' | 'SHORT' | 'EXIT'
    symbols: string[]
    options: Record<string, unknown>
    /** Whether the action would have waited for your approval. */
    needs_approval: boolean
  } | null
  /** The changes of strategies that the run would have made or asked for. */
  changes: {
    strategy_id: number
    code: string | null
    status: 'ACTIVE' | 'INACTIVE' | null
    /** Whether the change would have waited for your approval. */
    needs_approval: boolean
  }[]
  storage: { before: unknown; after: unknown }
  tokens: { input: number; output: number }
  /** The prompt as it was sent, and everything that followed. */
  transcript: {
    /** The time since the start of the run, in ms. */
    ms: number
    /** prompt, chart, asked, answer, call, result, failure, or cut. */
    type: string
    text?: string | undefined
    picture?: string | null | undefined
    [field: string]: unknown
  }[]
}

export type Approval = {
  id: number
  strategy_id: number
  strategy_name: string
  strategy_type: 'llm-reaction' | 'llm-session'
  /** The run in which the model asked. */
  run_id: number
  /** `code` and `status`: what the model wants to change of another strategy. */
  kind: 'action' | 'code' | 'status'
  action: 'LONG' | 'SHORT' | 'EXIT' | null
  symbols: string[]
  options: {
    id?: string | undefined
    /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
    size?: number | undefined
    /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
    sizeUnit?: 'base' | 'quote' | undefined
    dilution?: boolean | undefined
    forceSize?: boolean | undefined
    /** Of an EXIT: it closes a position on this side only. Absent: on any. */
    closes?: 'long' | 'short' | undefined
    /** What the position that it opens is protected by, instead of what the bot says. */
    protection?:
      | {
          /** Where the position is closed with a loss: a price, or a distance from the entry price. */
          stop_loss?: string | null | undefined
          /** At most 8 targets, the nearest first. Each closes a part of the position. */
          take_profit?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                at: string
                /** A fraction of the position as it was opened. All parts together are at most 1. */
                part: string
              }[]
            | undefined
          /** The stop follows the best price. */
          trailing?:
            | {
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                by: string
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                from: string | null
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                step: string | null
              }
            | null
            | undefined
          /** The stop moves to the entry price. */
          break_even?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                after: string
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                plus: string | null
              }
            | null
            | undefined
          /** The position is closed when it is this old, at whatever price; `null`: never. */
          exit_after_seconds?: number | null | undefined
        }
      | undefined
    /** How the bots enter, instead of what they say. An option that was not given is absent. */
    entry?:
      | {
          /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
          type: 'market' | 'limit' | 'post_only'
          /** The limit, in quote currency. */
          price?: string | undefined
          /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
          offset?: string | null | undefined
          /** How long the order rests. */
          timeout_seconds?: number | undefined
          /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
          on_timeout?: 'cancel' | 'market' | 'chase' | undefined
          /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
          chases?: number | null | undefined
          /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
          max_slippage?: string | null | undefined
        }
      | undefined
    /** Names a prediction market. */
    slug?: string | undefined
    outcome?: string | undefined
  }
  change: {
    strategy_id: number
    strategy_name: string
    strategy_type: 'code-strategy' | 'code-reaction'
    /** The version that the model knew. */
    version: number
    status: 'ACTIVE' | 'INACTIVE' | null
    /** Whether the strategy was saved since the model knew it, so that a change that waits can no longer be approved. */
    outdated: boolean
    code: string | null
    diff: {
      /** What would change of the code, as a unified diff. */
      text: string
      /** Whether the diff simply replaces all lines. */
      whole: boolean
    } | null
  } | null
  /** `SUPERSEDED`: the strategy has since asked for another action, or for another change of the same kind. `NOT_NEEDED`: the service made the change at once. */
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'SUPERSEDED' | 'NOT_NEEDED'
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  expires_at: string
  decided_at: string | null
  signal_id: number | null
  response: string | null
}

export type ApprovalInList = {
  id: number
  strategy_id: number
  strategy_name: string
  strategy_type: 'llm-reaction' | 'llm-session'
  /** The run in which the model asked. */
  run_id: number
  /** `code` and `status`: what the model wants to change of another strategy. */
  kind: 'action' | 'code' | 'status'
  action: 'LONG' | 'SHORT' | 'EXIT' | null
  symbols: string[]
  options: {
    id?: string | undefined
    /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
    size?: number | undefined
    /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
    sizeUnit?: 'base' | 'quote' | undefined
    dilution?: boolean | undefined
    forceSize?: boolean | undefined
    /** Of an EXIT: it closes a position on this side only. Absent: on any. */
    closes?: 'long' | 'short' | undefined
    /** What the position that it opens is protected by, instead of what the bot says. */
    protection?:
      | {
          /** Where the position is closed with a loss: a price, or a distance from the entry price. */
          stop_loss?: string | null | undefined
          /** At most 8 targets, the nearest first. Each closes a part of the position. */
          take_profit?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                at: string
                /** A fraction of the position as it was opened. All parts together are at most 1. */
                part: string
              }[]
            | undefined
          /** The stop follows the best price. */
          trailing?:
            | {
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                by: string
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                from: string | null
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                step: string | null
              }
            | null
            | undefined
          /** The stop moves to the entry price. */
          break_even?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                after: string
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                plus: string | null
              }
            | null
            | undefined
          /** The position is closed when it is this old, at whatever price; `null`: never. */
          exit_after_seconds?: number | null | undefined
        }
      | undefined
    /** How the bots enter, instead of what they say. An option that was not given is absent. */
    entry?:
      | {
          /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
          type: 'market' | 'limit' | 'post_only'
          /** The limit, in quote currency. */
          price?: string | undefined
          /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
          offset?: string | null | undefined
          /** How long the order rests. */
          timeout_seconds?: number | undefined
          /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
          on_timeout?: 'cancel' | 'market' | 'chase' | undefined
          /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
          chases?: number | null | undefined
          /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
          max_slippage?: string | null | undefined
        }
      | undefined
    /** Names a prediction market. */
    slug?: string | undefined
    outcome?: string | undefined
  }
  change: {
    strategy_id: number
    strategy_name: string
    strategy_type: 'code-strategy' | 'code-reaction'
    /** The version that the model knew. */
    version: number
    status: 'ACTIVE' | 'INACTIVE' | null
  } | null
  /** `SUPERSEDED`: the strategy has since asked for another action, or for another change of the same kind. `NOT_NEEDED`: the service made the change at once. */
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'SUPERSEDED' | 'NOT_NEEDED'
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  expires_at: string
  decided_at: string | null
  signal_id: number | null
  response: string | null
}

export type Backtest = {
  id: number
  /** QUEUED, RUNNING, FINISHED, FAILED or CANCELLED. */
  status: string
  strategy_id: number | null
  version: number | null
  /** `candles`, `deliveries` or `signals`. */
  source: string
  webhook_id: number | null
  deliveries: number | null
  bot_webhook_id: number | null
  candle_id: number | null
  symbol: string
  candles: number
  /** How long a candle lasts. */
  period_ms: number
  from: string | null
  to: string | null
  warmup_from: string | null
  parameters: Record<string, string>
  market: {
    participation: string | null
    /** How many milliseconds pass from a signal to its fill. Default 0. */
    latency_ms: number
    /** Sizes are rounded down to it, in base currency. Default 0.00000001. */
    size_step: string
    /** The smallest order, in base currency. Default: the size step. */
    min_size: string
    /** The smallest value of an order, in quote currency. Default 0. */
    min_notional: string
    /** Which part of its value a position needs as margin, as a fraction. It counts for bots with a `leverage` on futures, whose margin is isolated. Default 0.005. */
    maintenance: string
    funding: {
      candle_id: number | null
      assume: string | null
      every_hours: number | null
      /** How often positions pay in this time. */
      moments: number
      /** At how many of these moments nobody knows the rate. */
      unknown: number
    } | null
  } | null
  /** What the code found at its start: `empty`, `saved` or `given`; `recorded`: as the first recorded decision found it. */
  storage: string
  /** The same for the last trigger. */
  last_trigger: string
  /** `none`, or `read`: it sends GETs, and cannot be repeated. */
  http: string
  seed: number
  at_end: string
  examine: boolean
  model: {
    /** `recorded`: the bots follow what the model has decided live. `live`: it is asked about the rest. */
    mode: string
    /** Its provider. */
    service: string
    model: string
    /** The SHA-256 of what it is asked: prompt, model, tools and chart. */
    question: string
    /** The deliveries in this time. */
    events: number
    /** Those that have a recorded decision. */
    recorded: number
    /** Why others have no decision, and how many: `no_run`, `no_answer`, `other_question`, `asked_bots`, `other_storage`, `other_last_trigger`, `other_price`; with `live`, `over_budget`, `over_day`, `unavailable`, `deleted`, or how the run of a model that was asked failed, as in the error of a run. */
    missing: Record<string, number>
    /** With `live`: the most tokens. */
    budget?: number | undefined
    /** With `live`: those that the model was asked about and has decided. Until the backtest has ended, and in an estimate: those that it will be asked about, if none of them decides anything. */
    asked?: number | undefined
    /** With `live`, in an estimate: about the most tokens of the first question about each of these. A model that calls tools is asked again, but all together never exceed `budget`. */
    question_tokens?: number | undefined
    /** With `live`: what it has used, and what is reserved for open questions. */
    tokens?: number | undefined
  } | null
  sweep: {
    /** The names of those that it varies. */
    parameters: string[]
    /** Those of the bot that it varies. */
    settings: string[]
    /** How many it tries. */
    combinations: number
    random: number | null
    /** The figure by which one is the best. */
    objective: string
    walk_forward: { train_days: number; test_days: number; anchored: boolean } | null
    end_at_drawdown_percent: number | null
  } | null
  /** Runs of the code, and how many of them are over. Trading and the report follow. */
  progress: { runs: number; done: number }
  bots: {
    /** Counts from 1: the `bot` of its report. */
    number: number
    id: number | null
    name: string
    /** As in the record of a signal bot. */
    settings: Record<string, unknown>
    result: {
      digest: string
      quote: string
      start_equity: number
      end_equity: number
      return_percent: number | null
      max_drawdown_percent: number | null
      sharpe: number | null
      trades: number
    } | null
  }[]
  digest: string | null
  error: string | null
  /** ISO 8601, UTC. */
  created_at: string
  started_at: string | null
  finished_at: string | null
}

export type Signal = {
  id: number
  strategy_id: number | null
  run_id: number | null
  webhook_id: number | null
  delivery_id: number | null
  action: 'LONG' | 'SHORT' | 'EXIT'
  symbols: string[]
  price: number | null
  options: {
    id?: string | undefined
    /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
    size?: number | undefined
    /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
    sizeUnit?: 'base' | 'quote' | undefined
    dilution?: boolean | undefined
    forceSize?: boolean | undefined
    /** Of an EXIT: it closes a position on this side only. Absent: on any. */
    closes?: 'long' | 'short' | undefined
    /** What the position that it opens is protected by, instead of what the bot says. */
    protection?:
      | {
          /** Where the position is closed with a loss: a price, or a distance from the entry price. */
          stop_loss?: string | null | undefined
          /** At most 8 targets, the nearest first. Each closes a part of the position. */
          take_profit?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                at: string
                /** A fraction of the position as it was opened. All parts together are at most 1. */
                part: string
              }[]
            | undefined
          /** The stop follows the best price. */
          trailing?:
            | {
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                by: string
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                from: string | null
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                step: string | null
              }
            | null
            | undefined
          /** The stop moves to the entry price. */
          break_even?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                after: string
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                plus: string | null
              }
            | null
            | undefined
          /** The position is closed when it is this old, at whatever price; `null`: never. */
          exit_after_seconds?: number | null | undefined
        }
      | undefined
    /** How the bots enter, instead of what they say. An option that was not given is absent. */
    entry?:
      | {
          /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
          type: 'market' | 'limit' | 'post_only'
          /** The limit, in quote currency. */
          price?: string | undefined
          /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
          offset?: string | null | undefined
          /** How long the order rests. */
          timeout_seconds?: number | undefined
          /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
          on_timeout?: 'cancel' | 'market' | 'chase' | undefined
          /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
          chases?: number | null | undefined
          /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
          max_slippage?: string | null | undefined
        }
      | undefined
    /** Names a prediction market. */
    slug?: string | undefined
    outcome?: string | undefined
  }
  /** The flag that decides what bots do: TEST, if it is among `flags`, or else REVERSE. */
  flag: 'TEST' | 'REVERSE' | null
  /** What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal. */
  flags: ('TEST' | 'REVERSE' | 'DEBUG')[]
  /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
  sender:
    | 'owner'
    | {
        user_id: number
        /** null if the user was deleted. */
        email: string | null
      }
  origin:
    | 'owner'
    | 'limit'
    | 'stop_loss'
    | 'take_profit'
    | 'trailing'
    | 'break_even'
    | 'time'
    | 'unprotected'
    | null
  /** Whether a bot took it. */
  delivered: boolean
  reason: string | null
  /** What became of it: the first 20 of your own bots and their symbols. */
  bots: {
    bot_id: number
    bot_name: string
    symbol: string
    status:
      | 'DELAYED'
      | 'QUEUED'
      | 'WORKING'
      | 'CLOSING'
      | 'WAITING'
      | 'DONE'
      | 'IGNORED'
      | 'REFUSED'
      | 'FAILED'
    reason: string | null
    due_at: string | null
    finished_at: string | null
  }[]
  /** How many entries `bots` would have without its limit of 20. */
  bots_total: number
  /** ISO 8601, UTC. */
  created_at: string
}

export type BotWebhook = {
  id: number
  name: string
  description: string
  /** Key protection: every payload must have the password. */
  is_safe: boolean
  /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
  key_from: 'header' | 'header_or_body'
  /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
  content_type: 'json' | 'any'
  /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
  allow_from: string[]
  /** In whose words the payloads are; docs/signals.md has a table of the fields of each. Default: `tickwright`. */
  format: 'tickwright' | 'tradingview' | '3commas' | 'traderspost' | 'openalgo' | 'freqtrade'
  has_key: boolean
  /** Where senders post. Keep it secret. */
  url: string
  status: 'ACTIVE' | 'INACTIVE'
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type ExchangeConnection = {
  id: number
  exchange_id: number
  name: string
  /** No bot can use an `INACTIVE` connection. */
  status: 'ACTIVE' | 'INACTIVE'
  key_ending: string | null
  /** Whether it is an account without real money. */
  demo: boolean
  account_id: string | null
  account_type: string | null
  may_trade: boolean | null
  may_withdraw: boolean | null
  ip_restricted: boolean | null
  position_mode: 'one-way' | 'hedge' | null
  /** Why live bots cannot trade with the account as it is, and what to change. */
  obstacles: string[]
  /** What you should change or know. */
  warnings: string[]
  checked_at: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type SignalBot = {
  id: number
  type: 'signal-cex'
  status: 'ACTIVE' | 'INACTIVE'
  name: string
  /** `paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded. */
  mode: 'paper' | 'live'
  webhook_id: number | null
  exchange_id: number
  connection_id: number | null
  folder_id: number | null
  /** Whether a live bot trades with a demo account, without real money. */
  demo: boolean
  /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
  symbol: string | null
  /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
  on_limit: 'stop' | 'close'
  /** If `true`, the size of a signal counts only with `forceSize`. */
  strict_amount: boolean
  /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
  max_drawdown: string | null
  /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
  max_open_positions: number | null
  /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
  cooldown_seconds: number | null
  /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
  max_signal_age_seconds: number | null
  /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
  direction: 'both' | 'long' | 'short'
  /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
  leverage: number | null
  /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
  margin_mode: 'cross' | 'isolated' | null
  /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
  require_stop: boolean
  /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
  unprotected_seconds: number
  /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
  on_unprotected: 'close' | 'watch'
  /** For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on. */
  funding: 'off' | 'exchange'
  /** For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency. */
  latency_ms: number
  /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
  delay_seconds: number
  /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
  protection: {
    /** Where the position is closed with a loss: a price, or a distance from the entry price. */
    stop_loss: string | null
    /** At most 8 targets, the nearest first. Each closes a part of the position. */
    take_profit: {
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
      at: string
      /** A fraction of the position as it was opened. All parts together are at most 1. */
      part: string
    }[]
    /** The stop follows the best price. */
    trailing: {
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
      by: string
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
      from: string | null
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
      step: string | null
    } | null
    /** The stop moves to the entry price. */
    break_even: {
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
      after: string
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
      plus: string | null
    } | null
    /** The position is closed when it is this old, at whatever price; `null`: never. */
    exit_after_seconds: number | null
  } | null
  /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
  max_stop_distance: string | null
  /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
  entry: {
    /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
    type: 'limit' | 'post_only'
    /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
    offset: string | null
    /** How long the order rests. */
    timeout_seconds: number
    /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
    on_timeout: 'cancel' | 'market' | 'chase'
    /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
    chases: number | null
    /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
    max_slippage: string | null
  } | null
  /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
  amount_unit: 'quote' | 'base' | 'equity_percent' | 'risk_percent'
  /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
  size_unit: 'quote' | 'base' | null
  /** The currency of `amount`, such as `USDT` or `BTC`, or `%`; `null` if it is the base currency and the spelling of `symbol` does not show it. */
  amount_in: string | null
  /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
  amount_currency: string
  /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
  amount_rate: string | null
  /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
  amount: string
  /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
  fee_rate: string
  /** For paper bots: the slippage of each order, as a fraction of the current price. */
  slippage_rate: string
  /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
  spread_rate: string
  /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
  start_balance: string | null
  /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
  max_position: string | null
  /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
  max_daily_loss: string | null
  /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
  size_step: string | null
  /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
  min_size: string | null
  /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
  min_notional: string | null
  /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
  maintenance: string | null
  /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
  participation: string | null
  limit_reached_at: string | null
  highest_equity: string | null
  drawdown_reached_at: string | null
  drawdown_equity: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  balance: string | null
  account_equity: {
    amount: string
    currency: string
    /** ISO 8601, UTC. */
    at: string
  } | null
  equity: string | null
  /** The open positions. */
  positions: Position[]
}

export type SignalBotInList = {
  id: number
  type: 'signal-cex'
  status: 'ACTIVE' | 'INACTIVE'
  name: string
  /** `paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded. */
  mode: 'paper' | 'live'
  webhook_id: number | null
  exchange_id: number
  connection_id: number | null
  folder_id: number | null
  /** Whether a live bot trades with a demo account, without real money. */
  demo: boolean
  /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
  symbol: string | null
  /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
  on_limit: 'stop' | 'close'
  /** If `true`, the size of a signal counts only with `forceSize`. */
  strict_amount: boolean
  /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
  max_drawdown: string | null
  /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
  max_open_positions: number | null
  /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
  cooldown_seconds: number | null
  /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
  max_signal_age_seconds: number | null
  /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
  direction: 'both' | 'long' | 'short'
  /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
  leverage: number | null
  /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
  margin_mode: 'cross' | 'isolated' | null
  /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
  require_stop: boolean
  /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
  unprotected_seconds: number
  /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
  on_unprotected: 'close' | 'watch'
  /** For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on. */
  funding: 'off' | 'exchange'
  /** For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency. */
  latency_ms: number
  /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
  delay_seconds: number
  /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
  protection: {
    /** Where the position is closed with a loss: a price, or a distance from the entry price. */
    stop_loss: string | null
    /** At most 8 targets, the nearest first. Each closes a part of the position. */
    take_profit: {
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
      at: string
      /** A fraction of the position as it was opened. All parts together are at most 1. */
      part: string
    }[]
    /** The stop follows the best price. */
    trailing: {
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
      by: string
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
      from: string | null
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
      step: string | null
    } | null
    /** The stop moves to the entry price. */
    break_even: {
      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
      after: string
      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
      plus: string | null
    } | null
    /** The position is closed when it is this old, at whatever price; `null`: never. */
    exit_after_seconds: number | null
  } | null
  /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
  max_stop_distance: string | null
  /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
  entry: {
    /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
    type: 'limit' | 'post_only'
    /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
    offset: string | null
    /** How long the order rests. */
    timeout_seconds: number
    /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
    on_timeout: 'cancel' | 'market' | 'chase'
    /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
    chases: number | null
    /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
    max_slippage: string | null
  } | null
  /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
  amount_unit: 'quote' | 'base' | 'equity_percent' | 'risk_percent'
  /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
  size_unit: 'quote' | 'base' | null
  /** The currency of `amount`, such as `USDT` or `BTC`, or `%`; `null` if it is the base currency and the spelling of `symbol` does not show it. */
  amount_in: string | null
  /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
  amount_currency: string
  /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
  amount_rate: string | null
  /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
  amount: string
  /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
  fee_rate: string
  /** For paper bots: the slippage of each order, as a fraction of the current price. */
  slippage_rate: string
  /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
  spread_rate: string
  /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
  start_balance: string | null
  /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
  max_position: string | null
  /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
  max_daily_loss: string | null
  /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
  size_step: string | null
  /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
  min_size: string | null
  /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
  min_notional: string | null
  /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
  maintenance: string | null
  /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
  participation: string | null
  limit_reached_at: string | null
  highest_equity: string | null
  drawdown_reached_at: string | null
  drawdown_equity: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type BotSignal = {
  id: number
  bot_id: number
  signal_id: number
  action: 'LONG' | 'SHORT' | 'EXIT' | null
  symbol: string
  status: 'DELAYED' | 'QUEUED' | 'WORKING' | 'CLOSING' | 'WAITING' | 'DONE' | 'IGNORED' | 'REFUSED' | 'FAILED'
  reason: string | null
  /** ISO 8601, UTC. */
  queued_at: string
  due_at: string | null
  finished_at: string | null
}

export type Order = {
  id: number
  bot_id: number
  /** Whether the bot trades with a demo account, without real money; `null` if it is deleted. */
  demo: boolean | null
  signal_id: number | null
  origin:
    | 'owner'
    | 'limit'
    | 'stop_loss'
    | 'take_profit'
    | 'trailing'
    | 'break_even'
    | 'time'
    | 'unprotected'
    | null
  /** The id that the bot gave the order before it sent it. */
  client_order_id: string
  exchange_order_id: string | null
  symbol: string
  side: 'buy' | 'sell'
  purpose: 'open' | 'close'
  reduce_only: boolean
  type: 'market' | 'limit' | 'post_only'
  limit_price: string | null
  /** In base currency. */
  size: string
  /** The executed part of `size`, in base currency. */
  filled_size: string
  average_price: string | null
  status: 'PLANNED' | 'OPEN' | 'UNKNOWN' | 'FILLED' | 'CANCELED' | 'REJECTED'
  reason: string | null
  rests: {
    /** When the bot cancels the order, if it is still open then. */
    until: string
    /** What happens then to the part that was not executed. `cancel`: nothing more, also because all `chases` are used. `market`: a market order. `chase`: a new limit order at the price of that time. */
    on_timeout: 'cancel' | 'market' | 'chase'
    /** With `chase`: how many new limit orders may follow at most; otherwise 0. */
    chases_left: number
  } | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type Fill = {
  id: number
  order_id: number | null
  /** `order`: a fill of the order of the bot. `external`: the position changed at the exchange, by hand or by another program. `liquidation`, `adl`: the exchange closed it, or the service on paper. `adopted`: you took over the number of the account. */
  kind: 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'
  bot_id: number
  /** Whether the bot trades with a demo account, without real money; `null` if it is deleted. */
  demo: boolean | null
  /** The id that the exchange gave the execution. */
  trade_id: string
  symbol: string
  side: 'buy' | 'sell'
  /** In base currency. */
  size: string
  /** In quote currency. */
  price: string
  /** In `fee_asset`. A rebate is negative. */
  fee: string
  fee_asset: string
  /** Profit or loss of this fill after its fee, in quote currency. */
  realised: string
  /** ISO 8601, UTC. */
  filled_at: string
}

export type Position = {
  bot_id: number
  /** Whether the bot trades with a demo account, without real money. */
  demo: boolean
  symbol: string
  /** `null` for a closed position. */
  side: 'long' | 'short' | null
  /** In base currency. */
  size: string
  /** The average price of the position, in quote currency, without fees. */
  entry_price: string | null
  /** The current price, in quote currency; `null` if there is none. */
  price: string | null
  /** The profit or loss of closing at `price`, before fees, in quote currency; `null` without a price. */
  unrealised: string | null
  /** The profit or loss of all fills of the symbol, after fees, in quote currency. */
  realised: string
  /** The fees of all fills of the symbol, in quote currency. */
  fees: string
  /** The funding payments of the symbol so far, which `realised` includes, in quote currency. Negative if the bot paid. */
  funding: string
  /** How many times its margin the position is worth, as the exchange says; `null` on paper and on spot, or until the exchange says so. */
  leverage: string | null
  /** As the exchange says; `null` on paper and on spot, or until the exchange says so. */
  margin_mode: 'cross' | 'isolated' | null
  /** Where the exchange would close the position of the account in this symbol, as the exchange calculates it, at most a minute or two ago; `null` if it does not say. */
  liquidation_price: string | null
  opened_at: string | null
  updated_at: string
  /** What closes the position without a signal; `null`: nothing does. */
  protection: {
    /** `WATCHED`: only the service watches the price. `ARMING`: it has sent the stop to the exchange, which has not confirmed it yet. `PROTECTED`: the stop is an order at the exchange. `ADJUSTING`: an order is there, but not yet at this level and for this size. `ADRIFT`: books and account differ, so the service neither places nor moves a stop until you decide; `exchange_stop` is what rests there. `CLOSING`: the position is being closed. `CALLED_OFF`: you have dropped that close, and nothing protects the position. */
    state: 'WATCHED' | 'ARMING' | 'PROTECTED' | 'ADJUSTING' | 'ADRIFT' | 'CLOSING' | 'CALLED_OFF'
    /** Where the stop is kept: `exchange`, by an order that acts also while the service is not running, or only by the `service`. */
    kept_at: 'exchange' | 'service'
    /** The order that rests at the exchange; `null`: none. */
    exchange_stop: {
      /** Where it triggers, in quote currency. */
      price: string
      /** How much it closes, in base currency. */
      size: string
    } | null
    /** For how long the position had no stop at the exchange, although the service keeps stops there; `null` where it only watches. */
    unprotected_seconds: number | null
    /** What the state means, for a person. */
    note: string
    /** Where the stop stands now, in quote currency. */
    stop_price: string | null
    /** Why it stands there. */
    stop_reason: 'stop_loss' | 'break_even' | 'trailing' | null
    /** The targets that are still ahead, the nearest first. */
    targets: {
      /** In quote currency. */
      price: string
      /** How much it closes, in base currency. */
      size: string
      /** `exchange`: an order for it rests there. `service`: only the service watches it. */
      kept_at: 'exchange' | 'service'
    }[]
    /** The best price since the entry. */
    best_price: string | null
    /** When the position is closed, whatever its price is. */
    exit_at: string | null
    /** What was asked for. */
    settings: {
      /** Where the position is closed with a loss: a price, or a distance from the entry price. */
      stop_loss: string | null
      /** At most 8 targets, the nearest first. Each closes a part of the position. */
      take_profit: {
        /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
        at: string
        /** A fraction of the position as it was opened. All parts together are at most 1. */
        part: string
      }[]
      /** The stop follows the best price. */
      trailing: {
        /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
        by: string
        /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
        from: string | null
        /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
        step: string | null
      } | null
      /** The stop moves to the entry price. */
      break_even: {
        /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
        after: string
        /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
        plus: string | null
      } | null
      /** The position is closed when it is this old, at whatever price; `null`: never. */
      exit_after_seconds: number | null
    }
  } | null
}

export type EnvironmentVariable = {
  id: number
  /** Letters, digits and _. Identifiers that are forbidden in code are refused. */
  name: string
  folder_id: number | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type WebhookShare = {
  webhook_id: number
  /** The recipient. The response is the same whether or not a user with this id exists. */
  user_id: number
  /** ISO 8601, UTC. */
  created_at: string
}

export type SharedWebhook = {
  id: number
  name: string
  description: string
  /** Where your senders post. Only you have this URL; keep it secret. */
  url: string
  status: 'ACTIVE' | 'INACTIVE'
  /** The user who shares it with you. */
  owner_id: number
  /** When the owner shared it; ISO 8601, UTC. */
  created_at: string
}

export type PublicStrategy = {
  id: number
  /** Its owner. */
  user_id: number
  type: string
  name: string
  send_signal: boolean
  symbol: string | null
  delay: number | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  cron_interval: string | null
  timezone: string | null
  /** The body of an async function; at most 256 KB. */
  code: string
}

export type PublicStrategyInList = {
  id: number
  /** Its owner. */
  user_id: number
  type: string
  name: string
  send_signal: boolean
  symbol: string | null
  delay: number | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
  use_price: boolean
  exchange_id: number | null
  price_symbol: string | null
  cron_interval: string | null
  timezone: string | null
}

export type User = {
  id: number
  email: string
  name: string
  role: 'admin' | 'user'
  status: 'ACTIVE' | 'DISABLED'
  /** ISO 8601, UTC. */
  created_at: string
}

export type Session = {
  id: number
  ip: string
  user_agent: string
  /** Whether it is the session of this request. */
  current: boolean
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  last_seen_at: string
}

export type TradingSwitch = {
  /** Whether live bots may send orders to exchanges. Off until an administrator turns live trading on. */
  live_trading: boolean
  /** With `true`, no bot sends or fills orders, not even on paper and not even to close. With `openings`, no bot sends or fills orders that open, but closes go on. */
  halted: boolean | 'openings'
  halt: {
    reason: string | null
    user_id: number | null
    at: string | null
    /** Your positions without a stop at the exchange, whose stops and targets only the service watches: while `halted` is `true`, it does not close them. The first 100. Live streams leave it out. */
    watched?: { bot_id: number; symbol: string }[] | undefined
    /** How many there are. */
    watched_total?: number | undefined
  } | null
}

export type UserLimits = {
  api_keys: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  sessions: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  invitations: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  data_webhooks: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  bot_webhooks: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  shares: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  test_payloads: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  strategies: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  folders: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  variables: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  bots: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  exchange_connections: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  ai_connections: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  notification_endpoints: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  callback_hosts: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
  candle_series: {
    /** How many the user may have. */
    limit: number
    own: number | null
    /** The limit of the installation, from its setting USER_LIMITS. */
    default: number
    /** How many the user has. */
    used: number
  }
}

export type Invitation = {
  id: number
  email: string
  role: 'admin' | 'user'
  /** Shown only once, so that you can pass it on. */
  link?: string | undefined
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  expires_at: string
}

export type AuditEvent = {
  id: number
  /** docs/accounts.md lists all events. */
  event: string
  by_user_id: number | null
  by_strategy_id: number | null
  ip: string | null
  details: Record<string, unknown>
  /** ISO 8601, UTC. */
  created_at: string
}

export type Mail = {
  id: number
  /** stop, suspension, approval, answer, reset, invitation, sign_in_failed, locked, confirmation, email_confirmation, email_change_asked, email_changed, notification or notifications_disabled. */
  kind: string
  subject: string
  text: string | null
  status: 'WAITING' | 'SENT' | 'FAILED' | 'KEPT' | 'SUPERSEDED'
  reason: string | null
  /** ISO 8601, UTC. */
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
}

export type NotificationEndpoint = {
  id: number
  /** An address that gets signed JSON, a chat service, or the mail address of your account. */
  kind: 'webhook' | 'telegram' | 'discord' | 'slack' | 'ntfy' | 'pushover' | 'email'
  receiver: string | null
  url: string | null
  chat_id: string | null
  thread_id: string | null
  device: string | null
  description: string
  events: (
    | 'signal.created'
    | 'signal.failed'
    | 'order.settled'
    | 'order.unknown'
    | 'limit.reached'
    | 'position.opened'
    | 'position.closed'
    | 'position.closed_outside'
    | 'position.liquidated'
    | 'books.differ'
    | 'close.refused'
    | 'stop.refused'
    | 'stop.too_late'
    | 'funding.unknown'
    | 'bot.failed'
    | 'trading.switched'
    | 'strategy.suspended'
    | 'run.failed'
    | 'approval.requested'
    | 'backtest.finished'
  )[]
  silent: (
    | 'signal.created'
    | 'signal.failed'
    | 'order.settled'
    | 'order.unknown'
    | 'limit.reached'
    | 'position.opened'
    | 'position.closed'
    | 'position.closed_outside'
    | 'position.liquidated'
    | 'books.differ'
    | 'close.refused'
    | 'stop.refused'
    | 'stop.too_late'
    | 'funding.unknown'
    | 'bot.failed'
    | 'trading.switched'
    | 'strategy.suspended'
    | 'run.failed'
    | 'approval.requested'
    | 'backtest.finished'
  )[]
  quiet_hours: { from: string; to: string; time_zone: string } | null
  digest: { at: string; time_zone: string } | null
  /** The service sets `DISABLED` after 5 days without a success, or as soon as the receiver wants nothing more. */
  status: 'ACTIVE' | 'INACTIVE' | 'DISABLED'
  reason: string | null
  muted_until: string | null
  failing_since: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

export type Notification = {
  id: number
  /** The header `webhook-id`, the same for all attempts. */
  webhook_id: string
  event:
    | 'signal.created'
    | 'signal.failed'
    | 'order.settled'
    | 'order.unknown'
    | 'limit.reached'
    | 'position.opened'
    | 'position.closed'
    | 'position.closed_outside'
    | 'position.liquidated'
    | 'books.differ'
    | 'close.refused'
    | 'stop.refused'
    | 'stop.too_late'
    | 'funding.unknown'
    | 'bot.failed'
    | 'trading.switched'
    | 'strategy.suspended'
    | 'run.failed'
    | 'approval.requested'
    | 'backtest.finished'
    | 'signal.ended'
    | 'digest'
    | 'test'
  /** The body of the request to the endpoint. */
  payload: {
    type: string
    /** ISO 8601, UTC. */
    timestamp: string
    data: Record<string, unknown>
  }
  deliveries: {
    endpoint_id: number
    status: 'WAITING' | 'DELIVERED' | 'FAILED'
    attempts: number
    last_status: number | null
    last_error: string | null
    last_attempt_at: string | null
    next_attempt_at: string | null
  }[]
  /** ISO 8601, UTC. */
  created_at: string
}

export type AiConnection = {
  id: number
  service_id: number
  name: string
  model: string
  base_url: string | null
  streaming: boolean
  fallback_id: number | null
  key_ending: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** ISO 8601, UTC. */
  updated_at: string
}

/** A list; a page of it where `page` or `limit` was given. Pages count from 1. Lists of events have cursors too: the answer to one has `next`, the one to go on with. */
export type List<Item> =
  | Item[]
  | {
      items: Item[]
      total: number
      total_is_exact?: false
      page?: number
      limit: number
      next?: number | null
    }

/** One thing that is wrong with a request; what else is in it depends on the code. */
export type ErrorDetail = { field?: string | undefined; message: string; [field: string]: unknown }

/** The version of an answer, for `ifMatch`. It is not enumerable, so copies do not have it. */
export type Tagged = { readonly etag: string }

export type SaveOptions = {
  /** Saves only if the settings still have this `etag`; otherwise the service refuses with 409. */
  ifMatch?: string | undefined
}

/** What each operation takes and answers. */
export type Operations = {
  /** List all exchanges */
  'GET /api/v2/exchange?{query}': {
    arguments: [
      query?: {
        /** Lists only enabled exchanges (`true`) or only disabled ones (`false`). */
        enabled?: boolean | undefined
        /** Lists only the DEXes on this chain: an EIP-155 number, or a name such as `solana`. */
        chainId?: string | undefined
      },
    ]
    answer: Exchange[]
  }

  /** List the enabled centralised exchanges */
  'GET /api/v2/exchange/cex': { arguments: []; answer: Exchange[] }

  /** List the prediction markets */
  'GET /api/v2/exchange/prediction': { arguments: []; answer: Exchange[] }

  /** List the enabled exchanges that provide exchange rates */
  'GET /api/v2/exchange/with-exchange-rate': { arguments: []; answer: Exchange[] }

  /** List the decentralised exchanges on a chain */
  'GET /api/v2/exchange/dex/{chain}': { arguments: [chain: string]; answer: Exchange[] }

  /** Read a decentralised exchange on a chain */
  'GET /api/v2/exchange/dex/{chain}/{id}': { arguments: [chain: string, id: number]; answer: Exchange }

  /** Enable or disable an exchange (administrators) */
  'PUT /api/v2/exchange/{id} {body}': {
    arguments: [
      id: number,
      body: {
        /** Whether users of this installation can use the exchange. */
        enabled: boolean
      },
    ]
    answer: Exchange
  }

  /** Read where an exchange keeps the protection of positions */
  'GET /api/v2/exchange/{id}/protection': {
    arguments: [id: number]
    answer: {
      exchange_id: number
      name: string
      service: string
      /** `exchange`: an order there keeps the stop of a live position. `watched`: only the service acts, while it is running. */
      stop: 'exchange' | 'watched'
      /** `exchange`: an order there keeps its targets. `watched`: only the service acts, while it is running. */
      targets: 'exchange' | 'watched'
      /** What that means, for a person. */
      note: string
      /** What the exchange has for it, whether the service uses it or not; `null`: nobody has looked. */
      offers: {
        /** Its order for a stop; `null`: none that fits. */
        stop: string | null
        /** Its order for targets; `null`: none that fits. */
        targets: string | null
        /** The field by which such an order can be found again; `null`: none. */
        client_id: string | null
        /** What else matters there. */
        note: string | null
      } | null
    }
  }

  /** Read candles */
  'GET /api/v2/market/candles?{query}': {
    arguments: [
      query: {
        /** An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`. */
        exchange: string
        /** Default: `spot`, or `futures` if there is no such symbol on spot. */
        service?: 'spot' | 'futures' | undefined
        /** A symbol in any spelling, such as `btcusdt`. */
        symbol: string
        /** Such as `1m`, `4h`, `1d`, `1w` or `1M`. */
        interval: string
        /** How many: the latest, the first from `since` on, or the last before `until`. Default 100, or 1,000 with `since`. */
        count?: number | undefined
        /** The first candle opened at this moment or later. */
        since?: string | undefined
        /** The last candle opened before this moment. */
        until?: string | undefined
      },
    ]
    answer: {
      /** Its id in the catalogue. */
      exchange_id: number
      service: string
      /** The symbol as the service writes it, such as `BTC/USDT`. */
      symbol: string
      interval: string
      /** Oldest first. */
      candles: {
        /** When it opened, in Unix milliseconds. */
        time: number
        open: number
        high: number
        low: number
        /** The last price in it, which is called `close` elsewhere. */
        last: number
        /** In base currency, or in contracts on some futures. */
        volume: number
        /** `false` for the unfinished candle. A candle that is done never changes. */
        done: boolean
      }[]
    }
  }

  /** List the markets of an exchange */
  'GET /api/v2/market/symbols?{query}': {
    arguments: [
      query: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`. */
        exchange: string
        /** Default: `spot`, or `futures` if there is no such symbol on spot. */
        service?: 'spot' | 'futures' | undefined
        /** Only markets with this text in their symbol or name, in any case. */
        q?: string | undefined
      },
    ]
    answer: List<{
      exchange_id: number
      service: string
      /** As the service writes it, such as `BTC/USDT`. */
      symbol: string
      /** The exchange's own name. */
      id: string
      base: string
      quote: string
      /** Whether it is traded at the moment. */
      active: boolean
    }>
  }

  /** Read the current price of a symbol */
  'GET /api/v2/market/price?{query}': {
    arguments: [
      query: {
        /** An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`. */
        exchange: string
        /** Default: `spot`, or `futures` if there is no such symbol on spot. */
        service?: 'spot' | 'futures' | undefined
        /** A symbol in any spelling, such as `btcusdt`. */
        symbol: string
      },
    ]
    answer: {
      /** Its id in the catalogue. */
      exchange_id: number
      service: string
      /** The symbol as the service writes it, such as `BTC/USDT`. */
      symbol: string
      /** In quote currency. */
      price: number
      /** When it was last confirmed, at most ten seconds ago. */
      at: string
    }
  }

  /** Read a market of a prediction exchange */
  'GET /api/v2/market/prediction/{exchange}/{slug}': {
    arguments: [exchange: string, slug: string]
    answer: {
      /** Its id in the catalogue. */
      exchange_id: number
      /** Its name in the catalogue. */
      exchange: string
      /** The name of the market, as the exchange writes it. */
      slug: string
      id: string | null
      question: string
      description: string | null
      /** `OPEN`: traded now. `CLOSED`: not yet, not now or no longer. `RESOLVED`: decided. */
      status: 'OPEN' | 'CLOSED' | 'RESOLVED'
      /** Whether it is traded now. */
      active: boolean
      closes_at: string | null
      /** In the exchange's order. */
      outcomes: { name: string; token_id: string | null; price: number | null; won: boolean | null }[]
      volume: number | null
      /** A currency such as `USDC`, or `contracts`. */
      volume_unit: string
      url: string | null
      /** When the service asked the exchange, at most five seconds ago. */
      read_at: string
    }
  }

  /** List your downloads of candles */
  'GET /api/v2/candle/download?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      series_id: number | null
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      exchange: string
      service: string
      /** As the service writes it, such as `BTC/USDT`. */
      symbol: string
      interval: string | null
      /** ISO 8601, UTC. */
      from: string
      /** ISO 8601, UTC. */
      to: string
      /** What is stored reaches to here. */
      next: string
      /** From 0 to 1. */
      progress: number
      status: 'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'
      reason: string | null
      /** How many rows it has added. */
      stored: number
      /** How many were stored already, with the same values. */
      repeated: number
      /** How many were stored already, with other values. Those stay. */
      changed: number
      /** ISO 8601, UTC. */
      created_at: string
      finished_at: string | null
    }>
  }

  /** Download candles or funding rates from an exchange */
  'POST /api/v2/candle/download {body}': {
    arguments: [
      body: {
        /** Candles, or the funding rates of a perpetual future. */
        kind?: 'candles' | 'funding' | undefined
        /** An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`. */
        exchange: string
        /** Default: `spot`, or `futures` if there is no such symbol on spot. */
        service?: 'spot' | 'futures' | undefined
        /** A symbol in any spelling. */
        symbol: string
        /** Such as `1m`, `4h` or `1d`. Required for candles. */
        interval?: string | undefined
        /** The first candle opens at this time or later. */
        from: string
        /** The last candle opens before this time. Default: now. */
        to?: string | undefined
      },
    ]
    answer: {
      id: number
      series_id: number | null
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      exchange: string
      service: string
      /** As the service writes it, such as `BTC/USDT`. */
      symbol: string
      interval: string | null
      /** ISO 8601, UTC. */
      from: string
      /** ISO 8601, UTC. */
      to: string
      /** What is stored reaches to here. */
      next: string
      /** From 0 to 1. */
      progress: number
      status: 'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'
      reason: string | null
      /** How many rows it has added. */
      stored: number
      /** How many were stored already, with the same values. */
      repeated: number
      /** How many were stored already, with other values. Those stay. */
      changed: number
      /** ISO 8601, UTC. */
      created_at: string
      finished_at: string | null
    }
  }

  /** Read a download of candles */
  'GET /api/v2/candle/download/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      series_id: number | null
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      exchange: string
      service: string
      /** As the service writes it, such as `BTC/USDT`. */
      symbol: string
      interval: string | null
      /** ISO 8601, UTC. */
      from: string
      /** ISO 8601, UTC. */
      to: string
      /** What is stored reaches to here. */
      next: string
      /** From 0 to 1. */
      progress: number
      status: 'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'
      reason: string | null
      /** How many rows it has added. */
      stored: number
      /** How many were stored already, with the same values. */
      repeated: number
      /** How many were stored already, with other values. Those stay. */
      changed: number
      /** ISO 8601, UTC. */
      created_at: string
      finished_at: string | null
    }
  }

  /** Cancel a download of candles */
  'PUT /api/v2/candle/download/{id}/status {body}': {
    arguments: [id: number, body: { status: 'CANCELLED' }]
    answer: {
      id: number
      series_id: number | null
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      exchange: string
      service: string
      /** As the service writes it, such as `BTC/USDT`. */
      symbol: string
      interval: string | null
      /** ISO 8601, UTC. */
      from: string
      /** ISO 8601, UTC. */
      to: string
      /** What is stored reaches to here. */
      next: string
      /** From 0 to 1. */
      progress: number
      status: 'QUEUED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED'
      reason: string | null
      /** How many rows it has added. */
      stored: number
      /** How many were stored already, with the same values. */
      repeated: number
      /** How many were stored already, with other values. Those stay. */
      changed: number
      /** ISO 8601, UTC. */
      created_at: string
      finished_at: string | null
    }
  }

  /** List stored series of candles */
  'GET /api/v2/candle?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Candles, or the funding rates of a perpetual future. */
        kind?: 'candles' | 'funding' | undefined
        /** `exchange`: downloaded. `seen`: made of the prices that strategies have seen. All accounts share both. `import`: your own. */
        source?: 'exchange' | 'import' | 'seen' | undefined
        /** Its identifier, such as `binance`. */
        exchange?: string | undefined
        /** As the series has it. */
        symbol?: string | undefined
        interval?: string | undefined
      },
    ]
    answer: List<{
      id: number
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      /** `exchange`: downloaded. `seen`: made of the prices that strategies have seen. All accounts share both. `import`: your own. */
      source: 'exchange' | 'import' | 'seen'
      name: string
      exchange: string | null
      service: string | null
      symbol: string
      interval: string | null
      /** How many candles or rates it has. */
      rows: number
      first_at: string | null
      last_at: string | null
      /** How many stored candles the exchange later sent with other values. The stored ones stay. */
      changes: number
      checksum: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Make a series of candles of your own */
  'POST /api/v2/candle {body}': {
    arguments: [
      body: {
        name?: string | undefined
        /** Candles, or the funding rates of a perpetual future. */
        kind?: 'candles' | 'funding' | undefined
        /** Such as `BTC/USDT`. */
        symbol: string
        /** Such as `1m`, `4h` or `1d`. Required for candles. */
        interval?: string | undefined
        /** Where the candles are from, as a note. */
        exchange?: string | undefined
        service?: 'spot' | 'futures' | undefined
      },
    ]
    answer: {
      id: number
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      /** `exchange`: downloaded. `seen`: made of the prices that strategies have seen. All accounts share both. `import`: your own. */
      source: 'exchange' | 'import' | 'seen'
      name: string
      exchange: string | null
      service: string | null
      symbol: string
      interval: string | null
      /** How many candles or rates it has. */
      rows: number
      first_at: string | null
      last_at: string | null
      /** How many stored candles the exchange later sent with other values. The stored ones stay. */
      changes: number
      checksum: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Read a stored series of candles */
  'GET /api/v2/candle/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      /** Candles, or the funding rates of a perpetual future. */
      kind: 'candles' | 'funding'
      /** `exchange`: downloaded. `seen`: made of the prices that strategies have seen. All accounts share both. `import`: your own. */
      source: 'exchange' | 'import' | 'seen'
      name: string
      exchange: string | null
      service: string | null
      symbol: string
      interval: string | null
      /** How many candles or rates it has. */
      rows: number
      first_at: string | null
      last_at: string | null
      /** How many stored candles the exchange later sent with other values. The stored ones stay. */
      changes: number
      checksum: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Delete a stored series */
  'DELETE /api/v2/candle/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Import candles or funding rates */
  'POST /api/v2/candle/{id}/import {body}': {
    arguments: [
      id: number,
      body: {
        /** CSV with the header `time,open,high,low,close`, with or without `,volume`; for funding rates `time,rate`. The oldest row comes first. */
        csv?: string | undefined
        /** Instead of `csv`: a Parquet file in Base64, with columns of these names. At most 100,000 rows, and 64 MB without compression. */
        parquet?: string | undefined
        /** The number of the first line after the header in messages, for a file in several requests. Default 2, and 1 for Parquet, whose rows count as lines. */
        first_line?: number | undefined
      },
    ]
    answer: {
      added: number
      /** Rows that were stored already, with the same values. */
      repeated: number
      /** 1 if the last candle has not ended. It was left out. */
      dropped: number
    }
  }

  /** Read what a series has and lacks */
  'GET /api/v2/candle/{id}/coverage?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only candles that open at this time or later. */
        since?: string | undefined
        /** Only candles that open at this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: {
      rows: number
      first_at: string | null
      last_at: string | null
      gap_count: number
      /** How long all gaps are together. */
      missing_seconds: number
      /** The first 1,000, each from the end of a candle to the next opening. Nothing fills them. */
      gaps: {
        /** ISO 8601, UTC. */
        from: string
        /** ISO 8601, UTC. */
        to: string
      }[]
      /** The first 1,000 stored candles that the exchange later sent with other values. */
      changes: {
        /** ISO 8601, UTC. */
        at: string
        /** The values that are stored, in the order of the CSV columns. */
        stored: string
        /** The values that the exchange sent later. */
        found: string
        /** ISO 8601, UTC. */
        found_at: string
      }[]
    }
  }

  /** Export a series */
  'GET /api/v2/candle/{id}/candles.csv?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only candles that open at this time or later. */
        since?: string | undefined
        /** Only candles that open at this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: string
  }

  /** List your API keys */
  'GET /api/v2/api/key?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<ApiKey>
  }

  /** Create an API key; only this response shows its secret */
  'POST /api/v2/api/key {body}': {
    arguments: [
      body: {
        name: string
        algorithm: 'HMAC' | 'ML-DSA'
        /** Your own ML-DSA-44 public key in Base64: 1,312 bytes raw, or SPKI. */
        public_key?: string | undefined
        /** What agents that use this key by MCP may do. Default read. */
        mcp?: 'read' | 'write' | undefined
        /** Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional. */
        idempotency?: 'optional' | 'required' | undefined
        /** What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all. */
        scope?: 'all' | 'read' | 'deploy' | undefined
      },
    ]
    answer: {
      id: number
      name: string
      algorithm: 'HMAC' | 'ML-DSA'
      /** The public half, for the header api-key. */
      api_key: string
      /** What agents that use this key by MCP may do. Default read. */
      mcp: 'read' | 'write'
      /** Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional. */
      idempotency: 'optional' | 'required'
      /** What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all. */
      scope: 'all' | 'read' | 'deploy'
      /** ISO 8601, UTC. */
      created_at: string
      last_used_at: string | null
      rotated_at: string | null
      /** Shown only once: an HMAC secret, or an ML-DSA-44 private key as Base64 of PKCS#8. Absent if you sent your own public key. */
      api_secret?: string | undefined
      /** Shown only once: the bearer token for agents at /mcp. Only keys with an HMAC secret have one. */
      mcp_token?: string | undefined
    }
  }

  /** Change an API key; only the given fields change */
  'PUT /api/v2/api/key/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        /** What agents that use this key by MCP may do. Default read. */
        mcp?: 'read' | 'write' | undefined
        /** Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional. */
        idempotency?: 'optional' | 'required' | undefined
        /** What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all. */
        scope?: 'all' | 'read' | 'deploy' | undefined
      },
    ]
    answer: ApiKey
  }

  /** Revoke an API key */
  'DELETE /api/v2/api/key/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Give an API key a new secret; only this response shows it */
  'POST /api/v2/api/key/{id}/rotate {body}': {
    arguments: [
      id: number,
      body: {
        /** Your own ML-DSA-44 public key in Base64: 1,312 bytes raw, or SPKI. */
        public_key?: string | undefined
      },
    ]
    answer: {
      id: number
      name: string
      algorithm: 'HMAC' | 'ML-DSA'
      /** The public half, for the header api-key. */
      api_key: string
      /** What agents that use this key by MCP may do. Default read. */
      mcp: 'read' | 'write'
      /** Whether changing requests that are signed with this key need the header Idempotency-Key. Default optional. */
      idempotency: 'optional' | 'required'
      /** What requests that are signed with this key may do. `read`: change nothing. `deploy`: also change strategies, webhooks and test payloads, start backtests, and switch nothing on. Both get the URLs of webhooks without their secret part. Default all. */
      scope: 'all' | 'read' | 'deploy'
      /** ISO 8601, UTC. */
      created_at: string
      last_used_at: string | null
      rotated_at: string | null
      /** Shown only once: an HMAC secret, or an ML-DSA-44 private key as Base64 of PKCS#8. Absent if you sent your own public key. */
      api_secret?: string | undefined
      /** Shown only once: the bearer token for agents at /mcp. Only keys with an HMAC secret have one. */
      mcp_token?: string | undefined
    }
  }

  /** Read your own user */
  'GET /api/v2/user/me': {
    arguments: []
    answer: {
      id: number
      email: string
      name: string
      role: 'admin' | 'user'
      status: 'ACTIVE' | 'DISABLED'
      /** ISO 8601, UTC. */
      created_at: string
      /** Whether the second factor is on. */
      totp: boolean
    }
  }

  /** Read your own user */
  'GET /api/v2/user/session': {
    arguments: []
    answer: {
      id: number
      email: string
      name: string
      role: 'admin' | 'user'
      status: 'ACTIVE' | 'DISABLED'
      /** ISO 8601, UTC. */
      created_at: string
      /** Whether the second factor is on. */
      totp: boolean
    }
  }

  /** Sign out */
  'DELETE /api/v2/user/session': { arguments: []; answer: { message: 'Success' } }

  /** Sign out everywhere */
  'DELETE /api/v2/user/sessions': { arguments: []; answer: { message: 'Success' } }

  /** List your sessions, most recently used first */
  'GET /api/v2/user/sessions?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Session>
  }

  /** End one of your sessions */
  'DELETE /api/v2/user/sessions/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Change your password */
  'PUT /api/v2/user/password {body}': {
    arguments: [
      body: {
        password: string
        /** At least 12 characters, at most 1,024 bytes. */
        new_password: string
      },
    ]
    answer: { message: 'Success' }
  }

  /** Create a secret for a second factor (TOTP) */
  'POST /api/v2/user/totp {body}': {
    arguments: [body: { password: string }]
    answer: {
      /** Base32. */
      secret: string
      /** The content of the QR code for an authenticator app. */
      uri: string
    }
  }

  /** Turn the second factor on with a first code; only this response shows the recovery codes */
  'PUT /api/v2/user/totp {body}': {
    arguments: [
      body: {
        /** Six digits of the second factor, or a recovery code. */
        code: string
      },
    ]
    answer: { recovery_codes: string[] }
  }

  /** Turn the second factor off */
  'DELETE /api/v2/user/totp {body}': {
    arguments: [
      body: {
        password: string
        /** Six digits of the second factor, or a recovery code. */
        code: string
      },
    ]
    answer: { message: 'Success' }
  }

  /** Change your e-mail address */
  'POST /api/v2/user/email {body}': {
    arguments: [
      body: {
        email: string
        password: string
        /** Six digits of the second factor, or a recovery code. */
        totp?: string | undefined
      },
    ]
    answer: {
      /** false: the change takes effect when the mailed link is opened. */
      changed: boolean
    }
  }

  /** List the invitations that are still valid (administrators) */
  'GET /api/v2/user/invitation?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Invitation>
  }

  /** Invite a person by mail (administrators) */
  'POST /api/v2/user/invitation {body}': {
    arguments: [body: { email: string; role?: 'admin' | 'user' | undefined }]
    answer: Invitation
  }

  /** Withdraw an invitation (administrators) */
  'DELETE /api/v2/user/invitation/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List the security events of your account, newest first */
  'GET /api/v2/user/audit?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The user whose events to list (administrators). Default: you. */
        user_id?: number | undefined
      },
    ]
    answer: List<AuditEvent>
  }

  /** List all users (administrators) */
  'GET /api/v2/user?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<User>
  }

  /** Read a user: yourself, or, as an administrator, anyone */
  'GET /api/v2/user/{id}': { arguments: [id: number]; answer: User }

  /** Change a user; only the given fields change */
  'PUT /api/v2/user/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        role?: 'admin' | 'user' | undefined
        status?: 'ACTIVE' | 'DISABLED' | undefined
        /** Turns the second factor off, for a user who has lost it. */
        totp?: false | undefined
      },
    ]
    answer: User
  }

  /** Delete a user and everything that belongs to the user */
  'DELETE /api/v2/user/{id} {body}': {
    arguments: [id: number, body: { password?: string | undefined }]
    answer: { message: 'Success' }
  }

  /** Read how many things of each kind a user may have, and has */
  'GET /api/v2/user/{id}/limits': { arguments: [id: number]; answer: UserLimits }

  /** Change how many things a user may have (administrators) */
  'PUT /api/v2/user/{id}/limits {body}': {
    arguments: [
      id: number,
      body: {
        api_keys?: number | null | undefined
        sessions?: number | null | undefined
        invitations?: number | null | undefined
        data_webhooks?: number | null | undefined
        bot_webhooks?: number | null | undefined
        shares?: number | null | undefined
        test_payloads?: number | null | undefined
        strategies?: number | null | undefined
        folders?: number | null | undefined
        variables?: number | null | undefined
        bots?: number | null | undefined
        exchange_connections?: number | null | undefined
        ai_connections?: number | null | undefined
        notification_endpoints?: number | null | undefined
        callback_hosts?: number | null | undefined
        candle_series?: number | null | undefined
      },
    ]
    answer: UserLimits
  }

  /** List your data webhooks */
  'GET /api/v2/webhook/data?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<DataWebhook>
  }

  /** Create a data webhook */
  'POST /api/v2/webhook/data {body}': {
    arguments: [
      body: {
        name?: string | undefined
        description?: string | undefined
        /** Key protection: every payload must have the password. */
        is_safe?: boolean | undefined
        /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
        key_from?: 'header' | 'header_or_body' | undefined
        /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
        content_type?: 'json' | 'any' | undefined
        /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
        allow_from?: string[] | undefined
        status?: 'ACTIVE' | 'INACTIVE' | undefined
        /** The password. A boolean, as in responses, changes nothing. */
        has_key?: string | boolean | undefined
      },
    ]
    answer: DataWebhook
  }

  /** Read a data webhook */
  'GET /api/v2/webhook/data/{id}': { arguments: [id: number]; answer: DataWebhook }

  /** Change a data webhook */
  'PUT /api/v2/webhook/data/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        description?: string | undefined
        /** Key protection: every payload must have the password. */
        is_safe?: boolean | undefined
        /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
        key_from?: 'header' | 'header_or_body' | undefined
        /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
        content_type?: 'json' | 'any' | undefined
        /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
        allow_from?: string[] | undefined
        status?: 'ACTIVE' | 'INACTIVE' | undefined
        /** The password. A boolean, as in responses, changes nothing. */
        has_key?: string | boolean | undefined
      },
    ]
    answer: DataWebhook
  }

  /** Delete a data webhook that nothing uses */
  'DELETE /api/v2/webhook/data/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Switch a data webhook on or off */
  'PUT /api/v2/webhook/data/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success' }
  }

  /** Give a data webhook a new URL */
  'POST /api/v2/webhook/data/{id}/rotate': { arguments: [id: number]; answer: DataWebhook }

  /** List the deliveries of a data webhook, newest first */
  'GET /api/v2/webhook/data/{id}/deliveries?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<Delivery>
  }

  /** List the deliveries of all your data webhooks, newest first */
  'GET /api/v2/delivery?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** Only events from this time or later. */
        since?: string | undefined
        /** Only events from this time or earlier. */
        until?: string | undefined
        webhook_id?: number | undefined
        /** Only deliveries that this reaction has a run for. */
        strategy_id?: number | undefined
        /** Only deliveries with a run of this status. */
        status?: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED' | undefined
        /** Only deliveries with such a run: `replay` finds those that you have replayed. */
        trigger?: 'webhook' | 'replay' | undefined
        /** Only events with this text in the payload. Ignores case. `%`, `_` and `*` mean themselves. */
        q?: string | undefined
      },
    ]
    answer: List<Delivery>
  }

  /** Read a delivery */
  'GET /api/v2/delivery/{id}': { arguments: [id: number]; answer: Delivery }

  /** Run a stored payload again */
  'POST /api/v2/delivery/{id}/replay': { arguments: [id: number]; answer: { id: number; reactions: number } }

  /** List your test payloads, without their bodies */
  'GET /api/v2/test-payload?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        webhook_id?: number | undefined
      },
    ]
    answer: List<{
      id: number
      webhook_id: number
      name: string
      /** ISO 8601, UTC. */
      created_at: string
    }>
  }

  /** Keep a payload for test runs */
  'POST /api/v2/test-payload {body}': {
    arguments: [
      body: {
        /** Unique for the webhook. */
        name: string
        /** Copies the payload of this delivery. */
        delivery_id?: number | undefined
        /** One of your data webhooks; with `body`. */
        webhook_id?: number | undefined
        /** JSON, at most 256 KB; with `webhook_id`. */
        body?: string | undefined
      },
    ]
    answer: {
      id: number
      webhook_id: number
      name: string
      /** ISO 8601, UTC. */
      created_at: string
      /** Byte for byte as it was posted or entered. */
      body: string
      headers: Record<string, string> | null
      ip: string | null
    }
  }

  /** Read a test payload */
  'GET /api/v2/test-payload/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      webhook_id: number
      name: string
      /** ISO 8601, UTC. */
      created_at: string
      /** Byte for byte as it was posted or entered. */
      body: string
      headers: Record<string, string> | null
      ip: string | null
    }
  }

  /** Delete a test payload */
  'DELETE /api/v2/test-payload/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List your bot webhooks */
  'GET /api/v2/webhook/bot?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<BotWebhook>
  }

  /** Create a bot webhook */
  'POST /api/v2/webhook/bot {body}': {
    arguments: [
      body: {
        name?: string | undefined
        description?: string | undefined
        /** Key protection: every payload must have the password. */
        is_safe?: boolean | undefined
        /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
        key_from?: 'header' | 'header_or_body' | undefined
        /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
        content_type?: 'json' | 'any' | undefined
        /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
        allow_from?: string[] | undefined
        /** In whose words the payloads are; docs/signals.md has a table of the fields of each. Default: `tickwright`. */
        format?:
          | 'tickwright'
          | 'tradingview'
          | '3commas'
          | 'traderspost'
          | 'openalgo'
          | 'freqtrade'
          | undefined
        status?: 'ACTIVE' | 'INACTIVE' | undefined
        /** The password. A boolean, as in responses, changes nothing. */
        has_key?: string | boolean | undefined
      },
    ]
    answer: BotWebhook
  }

  /** Read a bot webhook */
  'GET /api/v2/webhook/bot/{id}': { arguments: [id: number]; answer: BotWebhook }

  /** Change a bot webhook */
  'PUT /api/v2/webhook/bot/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        description?: string | undefined
        /** Key protection: every payload must have the password. */
        is_safe?: boolean | undefined
        /** `header_or_body` also accepts the password as a top-level `key` of the payload, and removes it before it stores the payload. Default: `header` for data webhooks, `header_or_body` for bot webhooks. */
        key_from?: 'header' | 'header_or_body' | undefined
        /** `json` accepts only `application/json`. `any` also accepts a JSON object that is sent as `text/plain` or without a content type. Default: `json` for data webhooks, `any` for bot webhooks. */
        content_type?: 'json' | 'any' | undefined
        /** The networks from which it accepts posts, such as `192.0.2.0/24`, single addresses, or `tradingview` for those that TradingView publishes. Empty: any. */
        allow_from?: string[] | undefined
        /** In whose words the payloads are; docs/signals.md has a table of the fields of each. Default: `tickwright`. */
        format?:
          | 'tickwright'
          | 'tradingview'
          | '3commas'
          | 'traderspost'
          | 'openalgo'
          | 'freqtrade'
          | undefined
        status?: 'ACTIVE' | 'INACTIVE' | undefined
        /** The password. A boolean, as in responses, changes nothing. */
        has_key?: string | boolean | undefined
      },
    ]
    answer: BotWebhook
  }

  /** Delete a bot webhook that nothing uses */
  'DELETE /api/v2/webhook/bot/{id}': { arguments: [id: number]; answer: string }

  /** Switch a bot webhook on or off */
  'PUT /api/v2/webhook/bot/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success' }
  }

  /** Give a bot webhook a new URL */
  'POST /api/v2/webhook/bot/{id}/rotate': { arguments: [id: number]; answer: BotWebhook }

  /** List the deliveries of a bot webhook, newest first */
  'GET /api/v2/webhook/bot/{id}/deliveries?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      /** The id in the answer to the sender, which is that of the signal too. */
      id: number
      webhook_id: number
      /** ISO 8601, UTC. */
      received_at: string
      body: string | null
      headers: Record<string, string>
      /** Empty if the sender had ended the connection. */
      ip: string
      /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
      sender:
        | 'owner'
        | {
            user_id: number
            /** null if the user was deleted. */
            email: string | null
          }
      idempotency_key: string | null
      /** How many bots took the signal, including those of other users. */
      bots: number
      /** The signal that came of it. */
      signal: {
        id: number
        action: 'LONG' | 'SHORT' | 'EXIT'
        symbols: string[]
        options: {
          id?: string | undefined
          /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
          size?: number | undefined
          /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
          sizeUnit?: 'base' | 'quote' | undefined
          dilution?: boolean | undefined
          forceSize?: boolean | undefined
          /** Of an EXIT: it closes a position on this side only. Absent: on any. */
          closes?: 'long' | 'short' | undefined
          /** What the position that it opens is protected by, instead of what the bot says. */
          protection?:
            | {
                /** Where the position is closed with a loss: a price, or a distance from the entry price. */
                stop_loss?: string | null | undefined
                /** At most 8 targets, the nearest first. Each closes a part of the position. */
                take_profit?:
                  | {
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                      at: string
                      /** A fraction of the position as it was opened. All parts together are at most 1. */
                      part: string
                    }[]
                  | undefined
                /** The stop follows the best price. */
                trailing?:
                  | {
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                      by: string
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                      from: string | null
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                      step: string | null
                    }
                  | null
                  | undefined
                /** The stop moves to the entry price. */
                break_even?:
                  | {
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                      after: string
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                      plus: string | null
                    }
                  | null
                  | undefined
                /** The position is closed when it is this old, at whatever price; `null`: never. */
                exit_after_seconds?: number | null | undefined
              }
            | undefined
          /** How the bots enter, instead of what they say. An option that was not given is absent. */
          entry?:
            | {
                /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
                type: 'market' | 'limit' | 'post_only'
                /** The limit, in quote currency. */
                price?: string | undefined
                /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
                offset?: string | null | undefined
                /** How long the order rests. */
                timeout_seconds?: number | undefined
                /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
                on_timeout?: 'cancel' | 'market' | 'chase' | undefined
                /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
                chases?: number | null | undefined
                /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
                max_slippage?: string | null | undefined
              }
            | undefined
          /** Names a prediction market. */
          slug?: string | undefined
          outcome?: string | undefined
        }
        /** The flag that decides what bots do: TEST, if it is among `flags`, or else REVERSE. */
        flag: 'TEST' | 'REVERSE' | null
        /** What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal. */
        flags: ('TEST' | 'REVERSE' | 'DEBUG')[]
        /** Whether a bot took it. */
        delivered: boolean
        reason: string | null
      }
      callback: {
        /** The host of the address, which the service does not show again. */
        origin: string
        /** PENDING: bots still follow the signal. WAITING: it is being sent, or tried again. FAILED: the address did not accept it within a day. */
        status: 'PENDING' | 'WAITING' | 'DELIVERED' | 'FAILED'
        attempts: number
        /** The HTTP status of the latest answer; null if there was none. */
        last_status: number | null
        last_error: string | null
      } | null
    }>
  }

  /** Read a delivery of a bot webhook */
  'GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}': {
    arguments: [id: number, delivery_id: number]
    answer: {
      /** The id in the answer to the sender, which is that of the signal too. */
      id: number
      webhook_id: number
      /** ISO 8601, UTC. */
      received_at: string
      body: string | null
      headers: Record<string, string>
      /** Empty if the sender had ended the connection. */
      ip: string
      /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
      sender:
        | 'owner'
        | {
            user_id: number
            /** null if the user was deleted. */
            email: string | null
          }
      idempotency_key: string | null
      /** How many bots took the signal, including those of other users. */
      bots: number
      /** The signal that came of it. */
      signal: {
        id: number
        action: 'LONG' | 'SHORT' | 'EXIT'
        symbols: string[]
        options: {
          id?: string | undefined
          /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
          size?: number | undefined
          /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
          sizeUnit?: 'base' | 'quote' | undefined
          dilution?: boolean | undefined
          forceSize?: boolean | undefined
          /** Of an EXIT: it closes a position on this side only. Absent: on any. */
          closes?: 'long' | 'short' | undefined
          /** What the position that it opens is protected by, instead of what the bot says. */
          protection?:
            | {
                /** Where the position is closed with a loss: a price, or a distance from the entry price. */
                stop_loss?: string | null | undefined
                /** At most 8 targets, the nearest first. Each closes a part of the position. */
                take_profit?:
                  | {
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                      at: string
                      /** A fraction of the position as it was opened. All parts together are at most 1. */
                      part: string
                    }[]
                  | undefined
                /** The stop follows the best price. */
                trailing?:
                  | {
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                      by: string
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                      from: string | null
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                      step: string | null
                    }
                  | null
                  | undefined
                /** The stop moves to the entry price. */
                break_even?:
                  | {
                      /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                      after: string
                      /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                      plus: string | null
                    }
                  | null
                  | undefined
                /** The position is closed when it is this old, at whatever price; `null`: never. */
                exit_after_seconds?: number | null | undefined
              }
            | undefined
          /** How the bots enter, instead of what they say. An option that was not given is absent. */
          entry?:
            | {
                /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
                type: 'market' | 'limit' | 'post_only'
                /** The limit, in quote currency. */
                price?: string | undefined
                /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
                offset?: string | null | undefined
                /** How long the order rests. */
                timeout_seconds?: number | undefined
                /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
                on_timeout?: 'cancel' | 'market' | 'chase' | undefined
                /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
                chases?: number | null | undefined
                /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
                max_slippage?: string | null | undefined
              }
            | undefined
          /** Names a prediction market. */
          slug?: string | undefined
          outcome?: string | undefined
        }
        /** The flag that decides what bots do: TEST, if it is among `flags`, or else REVERSE. */
        flag: 'TEST' | 'REVERSE' | null
        /** What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal. */
        flags: ('TEST' | 'REVERSE' | 'DEBUG')[]
        /** Whether a bot took it. */
        delivered: boolean
        reason: string | null
      }
      callback: {
        /** The host of the address, which the service does not show again. */
        origin: string
        /** PENDING: bots still follow the signal. WAITING: it is being sent, or tried again. FAILED: the address did not accept it within a day. */
        status: 'PENDING' | 'WAITING' | 'DELIVERED' | 'FAILED'
        attempts: number
        /** The HTTP status of the latest answer; null if there was none. */
        last_status: number | null
        last_error: string | null
      } | null
    }
  }

  /** List the posts that a data webhook refused, newest first */
  'GET /api/v2/webhook/data/{id}/refused?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      webhook_id: number
      /** ISO 8601, UTC. */
      refused_at: string
      ip: string | null
      /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
      sender:
        | 'owner'
        | {
            user_id: number
            /** null if the user was deleted. */
            email: string | null
          }
      size: number | null
      /** The status of the answer. */
      status: number
      /** The error code of the answer. */
      code: string
      /** The sentence of the answer, at most 1,000 characters. Invisible characters are replaced by U+FFFD. */
      reason: string
      key_name: string | null
      /** How many posts by the same URL the service refused after this one, and only counted: it keeps at most one a second. */
      more: number
    }>
  }

  /** List the posts that a bot webhook refused, newest first */
  'GET /api/v2/webhook/bot/{id}/refused?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      webhook_id: number
      /** ISO 8601, UTC. */
      refused_at: string
      ip: string | null
      /** `owner`: you, or anyone with your URL. Otherwise the user with whom you share the webhook. */
      sender:
        | 'owner'
        | {
            user_id: number
            /** null if the user was deleted. */
            email: string | null
          }
      size: number | null
      /** The status of the answer. */
      status: number
      /** The error code of the answer. */
      code: string
      /** The sentence of the answer, at most 1,000 characters. Invisible characters are replaced by U+FFFD. */
      reason: string
      key_name: string | null
      /** How many posts by the same URL the service refused after this one, and only counted: it keeps at most one a second. */
      more: number
    }>
  }

  /** List the recipients of a data webhook */
  'GET /api/v2/webhook/data/{id}/shares?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<WebhookShare>
  }

  /** Share a data webhook with a user */
  'POST /api/v2/webhook/data/share/{id} {body}': {
    arguments: [id: number, body: { userId: number }]
    answer: WebhookShare
  }

  /** Stop sharing a data webhook with a user */
  'DELETE /api/v2/webhook/data/share/{id}?{query}': {
    arguments: [
      id: number,
      query?: {
        /** The recipient: here, where it is signed, or in the body, as `{ "userId": 7 }`. */
        userId?: number | undefined
      },
    ]
    answer: { message: 'Success' }
  }

  /** List your data webhooks that you share with a user */
  'GET /api/v2/webhook/data/shared/with/{userId}?{query}': {
    arguments: [
      userId: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<DataWebhook>
  }

  /** List the data webhooks that others share with you */
  'GET /api/v2/webhook/data/shared?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SharedWebhook>
  }

  /** List the data webhooks that a user shares with you */
  'GET /api/v2/webhook/data/shared/by/{userId}?{query}': {
    arguments: [
      userId: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SharedWebhook>
  }

  /** List the recipients of a bot webhook */
  'GET /api/v2/webhook/bot/{id}/shares?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<WebhookShare>
  }

  /** Share a bot webhook with a user */
  'POST /api/v2/webhook/bot/share/{id} {body}': {
    arguments: [id: number, body: { userId: number }]
    answer: WebhookShare
  }

  /** Stop sharing a bot webhook with a user */
  'DELETE /api/v2/webhook/bot/share/{id}?{query}': {
    arguments: [
      id: number,
      query?: {
        /** The recipient: here, where it is signed, or in the body, as `{ "userId": 7 }`. */
        userId?: number | undefined
      },
    ]
    answer: { message: 'Success' }
  }

  /** List your bot webhooks that you share with a user */
  'GET /api/v2/webhook/bot/shared/with/{userId}?{query}': {
    arguments: [
      userId: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<BotWebhook>
  }

  /** List the bot webhooks that others share with you */
  'GET /api/v2/webhook/bot/shared?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SharedWebhook>
  }

  /** List the bot webhooks that a user shares with you */
  'GET /api/v2/webhook/bot/shared/by/{userId}?{query}': {
    arguments: [
      userId: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SharedWebhook>
  }

  /** List the public code strategies of all users */
  'GET /api/v2/strategy/code/public?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<PublicStrategyInList>
  }

  /** Read a public code strategy with its code */
  'GET /api/v2/strategy/code/public/{id}': { arguments: [id: number]; answer: PublicStrategy }

  /** List your code strategies */
  'GET /api/v2/strategy/code?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<CodeStrategyInList>
  }

  /** Create a code strategy; it starts INACTIVE */
  'POST /api/v2/strategy/code {body}': {
    arguments: [
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
    ]
    answer: CodeStrategy & Tagged
  }

  /** Count your code strategies */
  'GET /api/v2/strategy/code/total': { arguments: []; answer: { total: number } }

  /** Copy one of your code strategies or a public one */
  'POST /api/v2/strategy/code/duplicate {body}': {
    arguments: [body: { id: number }]
    answer: CodeStrategy & Tagged
  }

  /** Read a code strategy with its code and storage */
  'GET /api/v2/strategy/code/{id}': { arguments: [id: number]; answer: CodeStrategy & Tagged }

  /** Change a code strategy; only the given fields change */
  'PUT /api/v2/strategy/code/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: CodeStrategy & Tagged
  }

  /** Delete a code strategy with its runs */
  'DELETE /api/v2/strategy/code/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Activate or deactivate a code strategy */
  'PUT /api/v2/strategy/code/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success'; note?: string | undefined }
  }

  /** Delete what runs of a code strategy have left */
  'PUT /api/v2/strategy/code/{id}/reset {body}': {
    arguments: [id: number, body: { resetTriggers?: boolean | undefined; resetStore?: boolean | undefined }]
    answer: { message: 'Success' }
  }

  /** Delete the stored value */
  'DELETE /api/v2/strategy/code/{id}/store': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List the versions of a code strategy, newest first */
  'GET /api/v2/strategy/code/{id}/versions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only versions before this one. Not with `page`. */
        before?: number | undefined
        /** Only versions after this one: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
    }>
  }

  /** Read a version of a code strategy with its content */
  'GET /api/v2/strategy/code/{id}/versions/{version}': {
    arguments: [id: number, version: number]
    answer: {
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
      /** What it executes: code, send_signal, webhook_id, symbol, use_price, exchange_id, price_symbol, cron_interval, timezone. A PUT accepts it. */
      settings: {
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
      }
    }
  }

  /** Compare two versions of a code strategy */
  'GET /api/v2/strategy/code/{id}/versions/{version}/diff?{query}': {
    arguments: [
      id: number,
      version: number,
      query?: {
        /** The other version. Default: the version before; the first one is compared with itself. */
        with?: number | undefined
      },
    ]
    answer: {
      /** The version that it is compared with. */
      from: number
      to: number
      /** The changes of the code as a unified diff with three lines of context; empty if there are none. */
      text: string
      /** Whether the texts differ so much that the diff simply replaces all lines. */
      whole: boolean
      /** Each other field that differs, with both values. */
      settings: { field: string; from: unknown; to: unknown }[]
    }
  }

  /** Give a code strategy the content of a version again */
  'POST /api/v2/strategy/code/{id}/versions/{version}/restore {body}': {
    arguments: [
      id: number,
      version: number,
      body: {
        /** The fields to restore. Default: all. */
        fields?:
          | (
              | 'code'
              | 'send_signal'
              | 'webhook_id'
              | 'symbol'
              | 'use_price'
              | 'exchange_id'
              | 'price_symbol'
              | 'cron_interval'
              | 'timezone'
            )[]
          | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: CodeStrategy & Tagged
  }

  /** List your folders of code strategies */
  'GET /api/v2/strategy/code/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of code strategies */
  'POST /api/v2/strategy/code/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your code strategies that are in no folder */
  'GET /api/v2/strategy/code/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<CodeStrategyInList>
  }

  /** Read a folder with its subfolders and code strategies */
  'GET /api/v2/strategy/code/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      strategies: CodeStrategyInList[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/strategy/code/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/strategy/code/folder/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List the public code reactions of all users */
  'GET /api/v2/strategy/reaction/code/public?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<PublicStrategyInList>
  }

  /** Read a public code reaction with its code */
  'GET /api/v2/strategy/reaction/code/public/{id}': { arguments: [id: number]; answer: PublicStrategy }

  /** List your code reactions */
  'GET /api/v2/strategy/reaction/code?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<CodeReactionInList>
  }

  /** Create a code reaction; it starts INACTIVE */
  'POST /api/v2/strategy/reaction/code {body}': {
    arguments: [
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
    ]
    answer: CodeReaction & Tagged
  }

  /** Count your code reactions */
  'GET /api/v2/strategy/reaction/code/total': { arguments: []; answer: { total: number } }

  /** Copy one of your code reactions or a public one */
  'POST /api/v2/strategy/reaction/code/duplicate {body}': {
    arguments: [body: { id: number }]
    answer: CodeReaction & Tagged
  }

  /** Read a code reaction with its code and storage */
  'GET /api/v2/strategy/reaction/code/{id}': { arguments: [id: number]; answer: CodeReaction & Tagged }

  /** Change a code reaction; only the given fields change */
  'PUT /api/v2/strategy/reaction/code/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: CodeReaction & Tagged
  }

  /** Delete a code reaction with its runs */
  'DELETE /api/v2/strategy/reaction/code/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Activate or deactivate a code reaction */
  'PUT /api/v2/strategy/reaction/code/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success'; note?: string | undefined }
  }

  /** Delete what runs of a code reaction have left */
  'PUT /api/v2/strategy/reaction/code/{id}/reset {body}': {
    arguments: [id: number, body: { resetTriggers?: boolean | undefined; resetStore?: boolean | undefined }]
    answer: { message: 'Success' }
  }

  /** Delete the stored value */
  'DELETE /api/v2/strategy/reaction/code/{id}/store': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the versions of a code reaction, newest first */
  'GET /api/v2/strategy/reaction/code/{id}/versions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only versions before this one. Not with `page`. */
        before?: number | undefined
        /** Only versions after this one: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
    }>
  }

  /** Read a version of a code reaction with its content */
  'GET /api/v2/strategy/reaction/code/{id}/versions/{version}': {
    arguments: [id: number, version: number]
    answer: {
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
      /** What it executes: code, send_signal, webhook_id, symbol, use_price, exchange_id, price_symbol, data_webhook_id, delay. A PUT accepts it. */
      settings: {
        /** The body of an async function; at most 256 KB. */
        code?: string | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        use_price?: boolean | undefined
        exchange_id?: number | null | undefined
        price_symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
      }
    }
  }

  /** Compare two versions of a code reaction */
  'GET /api/v2/strategy/reaction/code/{id}/versions/{version}/diff?{query}': {
    arguments: [
      id: number,
      version: number,
      query?: {
        /** The other version. Default: the version before; the first one is compared with itself. */
        with?: number | undefined
      },
    ]
    answer: {
      /** The version that it is compared with. */
      from: number
      to: number
      /** The changes of the code as a unified diff with three lines of context; empty if there are none. */
      text: string
      /** Whether the texts differ so much that the diff simply replaces all lines. */
      whole: boolean
      /** Each other field that differs, with both values. */
      settings: { field: string; from: unknown; to: unknown }[]
    }
  }

  /** Give a code reaction the content of a version again */
  'POST /api/v2/strategy/reaction/code/{id}/versions/{version}/restore {body}': {
    arguments: [
      id: number,
      version: number,
      body: {
        /** The fields to restore. Default: all. */
        fields?:
          | (
              | 'code'
              | 'send_signal'
              | 'webhook_id'
              | 'symbol'
              | 'use_price'
              | 'exchange_id'
              | 'price_symbol'
              | 'data_webhook_id'
              | 'delay'
            )[]
          | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: CodeReaction & Tagged
  }

  /** List your folders of code reactions */
  'GET /api/v2/strategy/reaction/code/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of code reactions */
  'POST /api/v2/strategy/reaction/code/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your code reactions that are in no folder */
  'GET /api/v2/strategy/reaction/code/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<CodeReactionInList>
  }

  /** Read a folder with its subfolders and code reactions */
  'GET /api/v2/strategy/reaction/code/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      strategies: CodeReactionInList[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/strategy/reaction/code/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/strategy/reaction/code/folder/{id}': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the public AI reactions of all users */
  'GET /api/v2/strategy/reaction/llm/public?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      /** Its owner. */
      user_id: number
      type: string
      name: string
      send_signal: boolean
      symbol: string | null
      delay: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
      actions: ('LONG' | 'SHORT' | 'EXIT')[]
      max_size: number | null
      /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
      tools: (
        | 'get_positions'
        | 'get_price'
        | 'get_candles'
        | 'get_indicator'
        | 'get_signal_logs'
        | 'get_error_logs'
        | 'get_storage'
        | 'set_storage'
        | 'append_storage'
        | 'web_fetch'
        | 'set_strategy'
        | 'set_strategy_status'
      )[]
      /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
      tokens_per_day: number
      /** The most actions per day (UTC). Default 100. */
      actions_per_day: number
      /** Whether actions wait for your approval. Default false. */
      needs_approval: boolean
      /** How many minutes an action waits for approval. Default 15. */
      approval_minutes: number
      /** Whether the model sees a chart. Default false. */
      use_chart: boolean
      chart_symbol: string | null
      /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
      chart_interval: string
      /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
      chart_studies: string[]
      chart_range: string | null
    }>
  }

  /** Read a public AI reaction with its prompt */
  'GET /api/v2/strategy/reaction/llm/public/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      /** Its owner. */
      user_id: number
      type: string
      name: string
      send_signal: boolean
      symbol: string | null
      delay: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
      actions: ('LONG' | 'SHORT' | 'EXIT')[]
      max_size: number | null
      /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
      tools: (
        | 'get_positions'
        | 'get_price'
        | 'get_candles'
        | 'get_indicator'
        | 'get_signal_logs'
        | 'get_error_logs'
        | 'get_storage'
        | 'set_storage'
        | 'append_storage'
        | 'web_fetch'
        | 'set_strategy'
        | 'set_strategy_status'
      )[]
      /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
      tokens_per_day: number
      /** The most actions per day (UTC). Default 100. */
      actions_per_day: number
      /** Whether actions wait for your approval. Default false. */
      needs_approval: boolean
      /** How many minutes an action waits for approval. Default 15. */
      approval_minutes: number
      /** Whether the model sees a chart. Default false. */
      use_chart: boolean
      chart_symbol: string | null
      /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
      chart_interval: string
      /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
      chart_studies: string[]
      chart_range: string | null
      /** The instructions to the model, with placeholders; at most 1 MB. */
      prompt: string
    }
  }

  /** List your AI reactions */
  'GET /api/v2/strategy/reaction/llm?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<AiReactionInList>
  }

  /** Create an AI reaction; it starts INACTIVE */
  'POST /api/v2/strategy/reaction/llm {body}': {
    arguments: [
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether actions wait for your approval. Default false. */
        needs_approval?: boolean | undefined
        /** How many minutes an action waits for approval. Default 15. */
        approval_minutes?: number | undefined
        /** Whether you get each answer of the model by mail. Default false. */
        send_email?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
    ]
    answer: AiReaction & Tagged
  }

  /** Count your AI reactions */
  'GET /api/v2/strategy/reaction/llm/total': { arguments: []; answer: { total: number } }

  /** Copy one of your AI reactions or a public one */
  'POST /api/v2/strategy/reaction/llm/duplicate {body}': {
    arguments: [body: { id: number }]
    answer: AiReaction & Tagged
  }

  /** Read an AI reaction with its prompt and storage */
  'GET /api/v2/strategy/reaction/llm/{id}': { arguments: [id: number]; answer: AiReaction & Tagged }

  /** Change an AI reaction; only the given fields change */
  'PUT /api/v2/strategy/reaction/llm/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether actions wait for your approval. Default false. */
        needs_approval?: boolean | undefined
        /** How many minutes an action waits for approval. Default 15. */
        approval_minutes?: number | undefined
        /** Whether you get each answer of the model by mail. Default false. */
        send_email?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: AiReaction & Tagged
  }

  /** Delete an AI reaction with its runs */
  'DELETE /api/v2/strategy/reaction/llm/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Activate or deactivate an AI reaction */
  'PUT /api/v2/strategy/reaction/llm/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success'; note?: string | undefined }
  }

  /** Delete what runs of an AI reaction have left */
  'PUT /api/v2/strategy/reaction/llm/{id}/reset {body}': {
    arguments: [
      id: number,
      body: {
        resetTriggers?: boolean | undefined
        resetStorage?: boolean | undefined
        resetResponse?: boolean | undefined
      },
    ]
    answer: { message: 'Success' }
  }

  /** Delete the stored value */
  'DELETE /api/v2/strategy/reaction/llm/{id}/store': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the versions of an AI reaction, newest first */
  'GET /api/v2/strategy/reaction/llm/{id}/versions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only versions before this one. Not with `page`. */
        before?: number | undefined
        /** Only versions after this one: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
    }>
  }

  /** Read a version of an AI reaction with its content */
  'GET /api/v2/strategy/reaction/llm/{id}/versions/{version}': {
    arguments: [id: number, version: number]
    answer: {
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
      /** What it executes: prompt, send_signal, webhook_id, symbol, data_webhook_id, delay, connection_id, fallback_id, actions, max_size, tokens_per_day, actions_per_day, use_chart, chart_symbol, chart_interval, chart_studies, chart_range. A PUT accepts it. */
      settings: {
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** The data webhook that triggers it. */
        data_webhook_id?: number | null | undefined
        /** The maximum number of runs per second. */
        delay?: number | null | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
      }
    }
  }

  /** Compare two versions of an AI reaction */
  'GET /api/v2/strategy/reaction/llm/{id}/versions/{version}/diff?{query}': {
    arguments: [
      id: number,
      version: number,
      query?: {
        /** The other version. Default: the version before; the first one is compared with itself. */
        with?: number | undefined
      },
    ]
    answer: {
      /** The version that it is compared with. */
      from: number
      to: number
      /** The changes of the prompt as a unified diff with three lines of context; empty if there are none. */
      text: string
      /** Whether the texts differ so much that the diff simply replaces all lines. */
      whole: boolean
      /** Each other field that differs, with both values. */
      settings: { field: string; from: unknown; to: unknown }[]
    }
  }

  /** Give an AI reaction the content of a version again */
  'POST /api/v2/strategy/reaction/llm/{id}/versions/{version}/restore {body}': {
    arguments: [
      id: number,
      version: number,
      body: {
        /** The fields to restore. Default: all. */
        fields?:
          | (
              | 'prompt'
              | 'send_signal'
              | 'webhook_id'
              | 'symbol'
              | 'data_webhook_id'
              | 'delay'
              | 'connection_id'
              | 'fallback_id'
              | 'actions'
              | 'max_size'
              | 'tokens_per_day'
              | 'actions_per_day'
              | 'use_chart'
              | 'chart_symbol'
              | 'chart_interval'
              | 'chart_studies'
              | 'chart_range'
            )[]
          | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: AiReaction & Tagged
  }

  /** List your folders of AI reactions */
  'GET /api/v2/strategy/reaction/llm/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of AI reactions */
  'POST /api/v2/strategy/reaction/llm/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your AI reactions that are in no folder */
  'GET /api/v2/strategy/reaction/llm/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<AiReactionInList>
  }

  /** Read a folder with its subfolders and AI reactions */
  'GET /api/v2/strategy/reaction/llm/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      strategies: AiReactionInList[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/strategy/reaction/llm/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/strategy/reaction/llm/folder/{id}': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the public AI sessions of all users */
  'GET /api/v2/strategy/llm-session/public?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      /** Its owner. */
      user_id: number
      type: string
      name: string
      send_signal: boolean
      symbol: string | null
      delay: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
      actions: ('LONG' | 'SHORT' | 'EXIT')[]
      max_size: number | null
      /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
      tools: (
        | 'get_positions'
        | 'get_price'
        | 'get_candles'
        | 'get_indicator'
        | 'get_signal_logs'
        | 'get_error_logs'
        | 'get_storage'
        | 'set_storage'
        | 'append_storage'
        | 'web_fetch'
        | 'set_strategy'
        | 'set_strategy_status'
      )[]
      /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
      tokens_per_day: number
      /** The most actions per day (UTC). Default 100. */
      actions_per_day: number
      /** Whether actions wait for your approval. Default false. */
      needs_approval: boolean
      /** How many minutes an action waits for approval. Default 15. */
      approval_minutes: number
      /** Whether the model sees a chart. Default false. */
      use_chart: boolean
      chart_symbol: string | null
      /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
      chart_interval: string
      /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
      chart_studies: string[]
      chart_range: string | null
      cron_interval: string | null
      timezone: string | null
    }>
  }

  /** Read a public AI session with its prompt */
  'GET /api/v2/strategy/llm-session/public/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      /** Its owner. */
      user_id: number
      type: string
      name: string
      send_signal: boolean
      symbol: string | null
      delay: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
      actions: ('LONG' | 'SHORT' | 'EXIT')[]
      max_size: number | null
      /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
      tools: (
        | 'get_positions'
        | 'get_price'
        | 'get_candles'
        | 'get_indicator'
        | 'get_signal_logs'
        | 'get_error_logs'
        | 'get_storage'
        | 'set_storage'
        | 'append_storage'
        | 'web_fetch'
        | 'set_strategy'
        | 'set_strategy_status'
      )[]
      /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
      tokens_per_day: number
      /** The most actions per day (UTC). Default 100. */
      actions_per_day: number
      /** Whether actions wait for your approval. Default false. */
      needs_approval: boolean
      /** How many minutes an action waits for approval. Default 15. */
      approval_minutes: number
      /** Whether the model sees a chart. Default false. */
      use_chart: boolean
      chart_symbol: string | null
      /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
      chart_interval: string
      /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
      chart_studies: string[]
      chart_range: string | null
      cron_interval: string | null
      timezone: string | null
      /** The instructions to the model, with placeholders; at most 1 MB. */
      prompt: string
    }
  }

  /** List your AI sessions */
  'GET /api/v2/strategy/llm-session?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<AiSessionInList>
  }

  /** Create an AI session; it starts INACTIVE */
  'POST /api/v2/strategy/llm-session {body}': {
    arguments: [
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, or a cron expression of five fields. Default `1H`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether actions wait for your approval. Default false. */
        needs_approval?: boolean | undefined
        /** How many minutes an action waits for approval. Default 15. */
        approval_minutes?: number | undefined
        /** Whether you get each answer of the model by mail. Default false. */
        send_email?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
    ]
    answer: AiSession & Tagged
  }

  /** Count your AI sessions */
  'GET /api/v2/strategy/llm-session/total': { arguments: []; answer: { total: number } }

  /** Copy one of your AI sessions or a public one */
  'POST /api/v2/strategy/llm-session/duplicate {body}': {
    arguments: [body: { id: number }]
    answer: AiSession & Tagged
  }

  /** Read an AI session with its prompt and storage */
  'GET /api/v2/strategy/llm-session/{id}': { arguments: [id: number]; answer: AiSession & Tagged }

  /** Change an AI session; only the given fields change */
  'PUT /api/v2/strategy/llm-session/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        folder_id?: number | null | undefined
        /** `PUBLIC`: every user can read and copy the code or the prompt. */
        visibility?: 'PRIVATE' | 'PUBLIC' | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, or a cron expression of five fields. Default `1H`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether actions wait for your approval. Default false. */
        needs_approval?: boolean | undefined
        /** How many minutes an action waits for approval. Default 15. */
        approval_minutes?: number | undefined
        /** Whether you get each answer of the model by mail. Default false. */
        send_email?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: AiSession & Tagged
  }

  /** Delete an AI session with its runs */
  'DELETE /api/v2/strategy/llm-session/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Activate or deactivate an AI session */
  'PUT /api/v2/strategy/llm-session/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success'; note?: string | undefined }
  }

  /** Delete what runs of an AI session have left */
  'PUT /api/v2/strategy/llm-session/{id}/reset {body}': {
    arguments: [
      id: number,
      body: {
        resetTriggers?: boolean | undefined
        resetStorage?: boolean | undefined
        resetResponse?: boolean | undefined
      },
    ]
    answer: { message: 'Success' }
  }

  /** Delete the stored value */
  'DELETE /api/v2/strategy/llm-session/{id}/store': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the versions of an AI session, newest first */
  'GET /api/v2/strategy/llm-session/{id}/versions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only versions before this one. Not with `page`. */
        before?: number | undefined
        /** Only versions after this one: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
    }>
  }

  /** Read a version of an AI session with its content */
  'GET /api/v2/strategy/llm-session/{id}/versions/{version}': {
    arguments: [id: number, version: number]
    answer: {
      /** The version of the strategy right after the save. */
      version: number
      until: number | null
      /** The fields in which it differs from the version before. */
      changed: string[]
      /** ISO 8601, UTC. */
      saved_at: string
      saved_by: {
        /** `session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself. */
        via: string
        api_key_id: number | null
        strategy_id: number | null
      } | null
      reason: string | null
      restored_from: number | null
      /** What it executes: prompt, send_signal, webhook_id, symbol, cron_interval, timezone, connection_id, fallback_id, actions, max_size, tokens_per_day, actions_per_day, use_chart, chart_symbol, chart_interval, chart_studies, chart_range. A PUT accepts it. */
      settings: {
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt?: string | undefined
        /** 'Send signal': gives code `$.Strategy.action`, and a model its actions. */
        send_signal?: boolean | undefined
        webhook_id?: number | null | undefined
        symbol?: string | null | undefined
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, or a cron expression of five fields. Default `1H`. */
        cron_interval?: string | undefined
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        connection_id?: number | null | undefined
        fallback_id?: number | null | undefined
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The most tokens, of prompts and answers together, per day (UTC). Default 500,000. */
        tokens_per_day?: number | undefined
        /** The most actions per day (UTC). Default 100. */
        actions_per_day?: number | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
      }
    }
  }

  /** Compare two versions of an AI session */
  'GET /api/v2/strategy/llm-session/{id}/versions/{version}/diff?{query}': {
    arguments: [
      id: number,
      version: number,
      query?: {
        /** The other version. Default: the version before; the first one is compared with itself. */
        with?: number | undefined
      },
    ]
    answer: {
      /** The version that it is compared with. */
      from: number
      to: number
      /** The changes of the prompt as a unified diff with three lines of context; empty if there are none. */
      text: string
      /** Whether the texts differ so much that the diff simply replaces all lines. */
      whole: boolean
      /** Each other field that differs, with both values. */
      settings: { field: string; from: unknown; to: unknown }[]
    }
  }

  /** Give an AI session the content of a version again */
  'POST /api/v2/strategy/llm-session/{id}/versions/{version}/restore {body}': {
    arguments: [
      id: number,
      version: number,
      body: {
        /** The fields to restore. Default: all. */
        fields?:
          | (
              | 'prompt'
              | 'send_signal'
              | 'webhook_id'
              | 'symbol'
              | 'cron_interval'
              | 'timezone'
              | 'connection_id'
              | 'fallback_id'
              | 'actions'
              | 'max_size'
              | 'tokens_per_day'
              | 'actions_per_day'
              | 'use_chart'
              | 'chart_symbol'
              | 'chart_interval'
              | 'chart_studies'
              | 'chart_range'
            )[]
          | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
      options?: SaveOptions,
    ]
    answer: AiSession & Tagged
  }

  /** List your folders of AI sessions */
  'GET /api/v2/strategy/llm-session/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of AI sessions */
  'POST /api/v2/strategy/llm-session/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your AI sessions that are in no folder */
  'GET /api/v2/strategy/llm-session/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<AiSessionInList>
  }

  /** Read a folder with its subfolders and AI sessions */
  'GET /api/v2/strategy/llm-session/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      strategies: AiSessionInList[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/strategy/llm-session/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/strategy/llm-session/folder/{id}': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List your objects of one kind as files have them */
  'GET /api/v2/deploy?{query}': {
    arguments: [
      query: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** What it is. */
        kind:
          | 'data-webhook'
          | 'bot-webhook'
          | 'code-strategy'
          | 'code-reaction'
          | 'llm-reaction'
          | 'llm-session'
          | 'signal-bot'
        /** Your word for the folder of files. The service remembers under it what each object was like. */
        project?: string | undefined
      },
    ]
    answer: List<{
      id: number
      /** What it is. */
      kind:
        | 'data-webhook'
        | 'bot-webhook'
        | 'code-strategy'
        | 'code-reaction'
        | 'llm-reaction'
        | 'llm-session'
        | 'signal-bot'
      name: string
      status: 'ACTIVE' | 'INACTIVE'
      /** Changes with each change of the settings that files have. */
      revision: string
      deployed: { key: string; revision: string } | null
      /** As in the routes of its kind; without folder, status, code and prompt. */
      settings: Record<string, unknown>
    }>
  }

  /** Create and change many objects in one transaction */
  'POST /api/v2/deploy {body}': {
    arguments: [
      body: {
        objects: {
          /** What it is. */
          kind:
            | 'data-webhook'
            | 'bot-webhook'
            | 'code-strategy'
            | 'code-reaction'
            | 'llm-reaction'
            | 'llm-session'
            | 'signal-bot'
          /** The name of its file, in lower case and without folder and ending. */
          key: string
          /** The object to change. Without it, the one that came under this key from this project, or else the one with this name; if there is none, a new one. */
          id?: number | undefined
          /** The revision that your settings come from. Without it, the one with which it last came from this project. */
          base?: string | undefined
          /** Overwrites what is newer on the service. */
          force?: boolean | undefined
          /** As in the routes of its kind, with code and prompt. What you leave out stays as it is. Instead of the id of an object that is part of the same request, write its kind and key: `bot-webhook/alerts`. Folders, passwords and status cannot be set. */
          settings: Record<string, unknown>
        }[]
        /** Objects that came from this project and have no file any more. The same transaction deletes them, except those that are active, hold a position or are still used. */
        prune?:
          | {
              /** What it is. */
              kind:
                | 'data-webhook'
                | 'bot-webhook'
                | 'code-strategy'
                | 'code-reaction'
                | 'llm-reaction'
                | 'llm-session'
                | 'signal-bot'
              /** The name of its file, in lower case and without folder and ending. */
              key: string
              id: number
              /** The revision that its last file came from. Without it, the one with which it last came from this project. */
              base?: string | undefined
              /** Deletes it also if it has changed on the service since. */
              force?: boolean | undefined
            }[]
          | undefined
        /** Your word for the folder of files. The service remembers under it what each object was like. */
        project?: string | undefined
        /** Checks and tries everything, keeps nothing, and reports conflicts with 200. */
        dry_run?: boolean | undefined
        /** Refuses everything with 409 if it would change what is active. */
        inactive_only?: boolean | undefined
        /** Why you save, in your own words. The version that the save makes keeps it. */
        reason?: string | undefined
      },
    ]
    answer: {
      dry_run: boolean
      objects: {
        /** What it is. */
        kind:
          | 'data-webhook'
          | 'bot-webhook'
          | 'code-strategy'
          | 'code-reaction'
          | 'llm-reaction'
          | 'llm-session'
          | 'signal-bot'
        key: string
        result: 'created' | 'changed' | 'unchanged' | 'conflict'
        id: number | null
        name: string | null
        status: 'ACTIVE' | 'INACTIVE' | null
        revision: string | null
        /** `changed`: it has changed on the service since its base. `exists`: there is one with this name, which did not come from this project. `ambiguous`: there are several. `deleted`: it is gone. */
        conflict?: 'changed' | 'exists' | 'ambiguous' | 'deleted' | undefined
        base?: string | null | undefined
        differences?:
          | {
              field: string
              yours?: unknown | undefined
              theirs?: unknown | undefined
              diff?: string | null | undefined
            }[]
          | undefined
        /** Your bots that follow it, if it is active and has changed. */
        bots: {
          id: number
          name: string
          mode: 'paper' | 'live'
          demo: boolean
          status: 'ACTIVE' | 'INACTIVE'
        }[]
      }[]
      /** What became of the objects of `prune`. */
      pruned: {
        /** What it is. */
        kind:
          | 'data-webhook'
          | 'bot-webhook'
          | 'code-strategy'
          | 'code-reaction'
          | 'llm-reaction'
          | 'llm-session'
          | 'signal-bot'
        key: string
        id: number
        name: string | null
        /** `spared`: `reason` says why it stays. `absent`: there is none. */
        result: 'deleted' | 'spared' | 'conflict' | 'absent'
        reason: string | null
      }[]
    }
  }

  /** Show the next times of a schedule */
  'GET /api/v2/schedule/preview?{query}': {
    arguments: [
      query: {
        /** When it runs: `10S`, `30S`, `1M`, `3M`, `5M`, `15M`, `30M`, `1H`, `2H`, `4H`, `8H`, `12H`, `1D`, a cron expression of five fields, or `TICK` for each price of `price_symbol`, at most once per second. Default `1M`. */
        cron_interval: string
        /** The IANA time zone of the cron expression. Default `UTC`. */
        timezone?: string | undefined
        /** How many times. */
        count?: number | undefined
        /** Only times after this one. Default: now. */
        from?: string | undefined
      },
    ]
    answer: {
      /** As a strategy stores it. */
      cron_interval: string
      timezone: string
      /** Whether prices trigger it. Then it has no times. */
      ticks: boolean
      times: string[]
    }
  }

  /** List the code reactions of a data webhook */
  'GET /api/v2/webhook/data/{id}/code-reactions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<CodeReactionInList>
  }

  /** List the AI reactions of a data webhook */
  'GET /api/v2/webhook/data/{id}/llm-reactions?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<AiReactionInList>
  }

  /** List your environment variables, without their values */
  'GET /api/v2/env?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<EnvironmentVariable>
  }

  /** Create an environment variable, which code reads from `$.Env` */
  'POST /api/v2/env {body}': {
    arguments: [
      body: {
        /** Letters, digits and _. Identifiers that are forbidden in code are refused. */
        name: string
        /** At most 16 KB of UTF-8, and 256 KB for all your variables together. */
        value: string
        folder_id?: number | null | undefined
      },
    ]
    answer: EnvironmentVariable
  }

  /** Read an environment variable, without its value */
  'GET /api/v2/env/{id}': { arguments: [id: number]; answer: EnvironmentVariable }

  /** Change an environment variable; only the given fields change */
  'PUT /api/v2/env/{id} {body}': {
    arguments: [
      id: number,
      body: {
        /** Letters, digits and _. Identifiers that are forbidden in code are refused. */
        name?: string | undefined
        folder_id?: number | null | undefined
        /** At most 16 KB of UTF-8, and 256 KB for all your variables together. */
        value?: string | undefined
      },
    ]
    answer: EnvironmentVariable
  }

  /** Delete an environment variable */
  'DELETE /api/v2/env/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List the strategies whose code reads an environment variable */
  'GET /api/v2/env/{id}/uses?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only strategies with a higher id. */
        after?: number | undefined
      },
    ]
    answer: {
      uses: {
        id: number
        type: 'code-strategy' | 'code-reaction'
        name: string
        folder_id: number | null
        /** As its owner set it: a suspended strategy is ACTIVE. */
        status: 'ACTIVE' | 'INACTIVE'
        /** `named`: the code names the variable. `maybe`: it reads `$.Env` in another way, such as `$.Env[name]`. */
        use: 'named' | 'maybe'
      }[]
      next_after: number | null
    }
  }

  /** Check the code of a code strategy without saving it */
  'POST /api/v2/strategy/code/check {body}': {
    arguments: [
      body: {
        /** The body of an async function. */
        code: string
      },
    ]
    answer: {
      /** Whether it can be saved. */
      ok: boolean
      /** In the order of the text; at most 1000. */
      problems: {
        kind: 'too_large' | 'forbidden_identifier' | 'syntax' | 'placeholder'
        message: string
        remedy: string | null
        /** Counts from 1. */
        line: number
        /** Counts UTF-16 units from 1, as in editors. */
        column: number
      }[]
      /** The number of all problems; the check of a prompt ends after 20. */
      total: number
    }
  }

  /** Check the code of a code reaction without saving it */
  'POST /api/v2/strategy/reaction/code/check {body}': {
    arguments: [
      body: {
        /** The body of an async function. */
        code: string
      },
    ]
    answer: {
      /** Whether it can be saved. */
      ok: boolean
      /** In the order of the text; at most 1000. */
      problems: {
        kind: 'too_large' | 'forbidden_identifier' | 'syntax' | 'placeholder'
        message: string
        remedy: string | null
        /** Counts from 1. */
        line: number
        /** Counts UTF-16 units from 1, as in editors. */
        column: number
      }[]
      /** The number of all problems; the check of a prompt ends after 20. */
      total: number
    }
  }

  /** Check the prompt of an AI reaction without saving it */
  'POST /api/v2/strategy/reaction/llm/check {body}': {
    arguments: [
      body: {
        /** The instructions to the model. */
        prompt: string
      },
    ]
    answer: {
      /** Whether it can be saved. */
      ok: boolean
      /** In the order of the text; at most 1000. */
      problems: {
        kind: 'too_large' | 'forbidden_identifier' | 'syntax' | 'placeholder'
        message: string
        remedy: string | null
        /** Counts from 1. */
        line: number
        /** Counts UTF-16 units from 1, as in editors. */
        column: number
      }[]
      /** The number of all problems; the check of a prompt ends after 20. */
      total: number
    }
  }

  /** Check the prompt of an AI session without saving it */
  'POST /api/v2/strategy/llm-session/check {body}': {
    arguments: [
      body: {
        /** The instructions to the model. */
        prompt: string
      },
    ]
    answer: {
      /** Whether it can be saved. */
      ok: boolean
      /** In the order of the text; at most 1000. */
      problems: {
        kind: 'too_large' | 'forbidden_identifier' | 'syntax' | 'placeholder'
        message: string
        remedy: string | null
        /** Counts from 1. */
        line: number
        /** Counts UTF-16 units from 1, as in editors. */
        column: number
      }[]
      /** The number of all problems; the check of a prompt ends after 20. */
      total: number
    }
  }

  /** Test a saved code strategy, without sending signals or storing anything */
  'POST /api/v2/strategy/code/{id}/test {body}': {
    arguments: [
      id: number,
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The value of `$.Price`. A number becomes the price of the strategy's price symbol. */
        price?: number | { symbol: string; price: number; exchange: string; service: string } | undefined
        /** Which requests the service sends: only GET (`read`, the default), `all` or `none`. */
        http?: 'read' | 'all' | 'none' | undefined
        /** The seed of `Math.random`. Default: a new one. */
        seed?: number | undefined
        /** What `Date` shows at the start. Default: the present. */
        now?: string | undefined
        /** Code to test instead of the saved code. */
        code?: string | undefined
      },
    ]
    answer: TestRun
  }

  /** Test the code of a code strategy that is not saved, without sending signals or storing anything */
  'POST /api/v2/strategy/code/test {body}': {
    arguments: [
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The value of `$.Price`. A number becomes the price of the strategy's price symbol. */
        price?: number | { symbol: string; price: number; exchange: string; service: string } | undefined
        /** Which requests the service sends: only GET (`read`, the default), `all` or `none`. */
        http?: 'read' | 'all' | 'none' | undefined
        /** The seed of `Math.random`. Default: a new one. */
        seed?: number | undefined
        /** What `Date` shows at the start. Default: the present. */
        now?: string | undefined
        /** The body of an async function. */
        code: string
        /** Default true. */
        send_signal?: boolean | undefined
        symbol?: string | null | undefined
        folder_id?: number | null | undefined
      },
    ]
    answer: TestRun
  }

  /** Test a saved code reaction, without sending signals or storing anything */
  'POST /api/v2/strategy/reaction/code/{id}/test {body}': {
    arguments: [
      id: number,
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The value of `$.Price`. A number becomes the price of the strategy's price symbol. */
        price?: number | { symbol: string; price: number; exchange: string; service: string } | undefined
        /** Which requests the service sends: only GET (`read`, the default), `all` or `none`. */
        http?: 'read' | 'all' | 'none' | undefined
        /** The seed of `Math.random`. Default: a new one. */
        seed?: number | undefined
        /** What `Date` shows at the start. Default: the present. */
        now?: string | undefined
        /** Code to test instead of the saved code. */
        code?: string | undefined
      },
    ]
    answer: TestRun
  }

  /** Test the code of a code reaction that is not saved, without sending signals or storing anything */
  'POST /api/v2/strategy/reaction/code/test {body}': {
    arguments: [
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The value of `$.Price`. A number becomes the price of the strategy's price symbol. */
        price?: number | { symbol: string; price: number; exchange: string; service: string } | undefined
        /** Which requests the service sends: only GET (`read`, the default), `all` or `none`. */
        http?: 'read' | 'all' | 'none' | undefined
        /** The seed of `Math.random`. Default: a new one. */
        seed?: number | undefined
        /** What `Date` shows at the start. Default: the present. */
        now?: string | undefined
        /** The body of an async function. */
        code: string
        /** Default true. */
        send_signal?: boolean | undefined
        symbol?: string | null | undefined
        folder_id?: number | null | undefined
      },
    ]
    answer: TestRun
  }

  /** Test a saved AI reaction, without sending signals or storing anything */
  'POST /api/v2/strategy/reaction/llm/{id}/test {body}': {
    arguments: [
      id: number,
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** A prompt to use instead of the saved prompt. */
        prompt?: string | undefined
      },
    ]
    answer: AiTestRun
  }

  /** Test the prompt of an AI reaction that is not saved, without sending signals or storing anything */
  'POST /api/v2/strategy/reaction/llm/test {body}': {
    arguments: [
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt: string
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Default true. */
        send_signal?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        connection_id: number
        fallback_id?: number | null | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** Default false. */
        needs_approval?: boolean | undefined
        symbol?: string | null | undefined
        folder_id?: number | null | undefined
      },
    ]
    answer: AiTestRun
  }

  /** Test a saved AI session, without sending signals or storing anything */
  'POST /api/v2/strategy/llm-session/{id}/test {body}': {
    arguments: [
      id: number,
      body: {
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** A prompt to use instead of the saved prompt. */
        prompt?: string | undefined
      },
    ]
    answer: AiTestRun
  }

  /** Test the prompt of an AI session that is not saved, without sending signals or storing anything */
  'POST /api/v2/strategy/llm-session/test {body}': {
    arguments: [
      body: {
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt: string
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Default true. */
        send_signal?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
        connection_id: number
        fallback_id?: number | null | undefined
        /** Whether such a change waits for your approval. Without it, a change still waits if live bots follow the strategy, and new code also if the strategy is public or could read a variable. Default true. */
        change_needs_approval?: boolean | undefined
        /** Default false. */
        needs_approval?: boolean | undefined
        symbol?: string | null | undefined
        folder_id?: number | null | undefined
      },
    ]
    answer: AiTestRun
  }

  /** Show the first question of an AI reaction to its model, without asking it */
  'POST /api/v2/strategy/reaction/llm/{id}/preview {body}': {
    arguments: [
      id: number,
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** A prompt to use instead of the saved prompt. */
        prompt?: string | undefined
      },
    ]
    answer: {
      /** The first question, as the model would get it. */
      messages: {
        /** system: the rules of the service; user: your prompt. */
        role: string
        content: (
          | { type: 'text'; text: string }
          | {
              type: 'image'
              /** image/png */
              media_type: string
              /** Base64. */
              data: string
            }
        )[]
      }[]
      chart: string | null
      /** The names of the tools that the model would have. */
      tools: string[]
      tokens: {
        /** About how many the question has. */
        estimated: number
        /** The most that it and its answer can cost, which the budget must have left. */
        reserved: number
      }
    }
  }

  /** Show the first question of an AI reaction that is not saved, without asking a model */
  'POST /api/v2/strategy/reaction/llm/preview {body}': {
    arguments: [
      body: {
        /** The payload: any JSON value; a string is passed on unchanged. */
        payload?: unknown | undefined
        headers?: Record<string, string> | undefined
        ip?: string | undefined
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt: string
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Default true. */
        send_signal?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
      },
    ]
    answer: {
      /** The first question, as the model would get it. */
      messages: {
        /** system: the rules of the service; user: your prompt. */
        role: string
        content: (
          | { type: 'text'; text: string }
          | {
              type: 'image'
              /** image/png */
              media_type: string
              /** Base64. */
              data: string
            }
        )[]
      }[]
      chart: string | null
      /** The names of the tools that the model would have. */
      tools: string[]
      tokens: {
        /** About how many the question has. */
        estimated: number
        /** The most that it and its answer can cost, which the budget must have left. */
        reserved: number
      }
    }
  }

  /** Show the first question of an AI session to its model, without asking it */
  'POST /api/v2/strategy/llm-session/{id}/preview {body}': {
    arguments: [
      id: number,
      body: {
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** A prompt to use instead of the saved prompt. */
        prompt?: string | undefined
      },
    ]
    answer: {
      /** The first question, as the model would get it. */
      messages: {
        /** system: the rules of the service; user: your prompt. */
        role: string
        content: (
          | { type: 'text'; text: string }
          | {
              type: 'image'
              /** image/png */
              media_type: string
              /** Base64. */
              data: string
            }
        )[]
      }[]
      chart: string | null
      /** The names of the tools that the model would have. */
      tools: string[]
      tokens: {
        /** About how many the question has. */
        estimated: number
        /** The most that it and its answer can cost, which the budget must have left. */
        reserved: number
      }
    }
  }

  /** Show the first question of an AI session that is not saved, without asking a model */
  'POST /api/v2/strategy/llm-session/preview {body}': {
    arguments: [
      body: {
        /** The stored value; null for none. */
        storage?: unknown | undefined
        last_trigger?:
          | {
              action: 'LONG' | 'SHORT' | 'EXIT' | null
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** The instructions to the model, with placeholders; at most 1 MB. */
        prompt: string
        /** The actions that the model may take. Default: all. Without `send_signal` it may take none. */
        actions?: ('LONG' | 'SHORT' | 'EXIT')[] | undefined
        max_size?: number | null | undefined
        /** The tools that the model has besides its actions. Default: all except web_fetch, set_strategy, set_strategy_status. */
        tools?:
          | (
              | 'get_positions'
              | 'get_price'
              | 'get_candles'
              | 'get_indicator'
              | 'get_signal_logs'
              | 'get_error_logs'
              | 'get_storage'
              | 'set_storage'
              | 'append_storage'
              | 'web_fetch'
              | 'set_strategy'
              | 'set_strategy_status'
            )[]
          | undefined
        /** The ids of your code strategies and code reactions that the model may change, with the tools set_strategy and set_strategy_status. Default none. */
        may_change?: number[] | undefined
        /** Default true. */
        send_signal?: boolean | undefined
        /** Whether the model sees a chart. Default false. */
        use_chart?: boolean | undefined
        chart_symbol?: string | null | undefined
        /** The interval of its candles, such as 15m, 1h, 4h or 1d. Default 1h. */
        chart_interval?: string | undefined
        /** At most 2 of sma, ema, wma, bb, rsi, macd, stoch, atr, volume; with numbers such as `rsi:14` or `bb:20,2`. Default none. */
        chart_studies?: string[] | undefined
        chart_range?: string | null | undefined
      },
    ]
    answer: {
      /** The first question, as the model would get it. */
      messages: {
        /** system: the rules of the service; user: your prompt. */
        role: string
        content: (
          | { type: 'text'; text: string }
          | {
              type: 'image'
              /** image/png */
              media_type: string
              /** Base64. */
              data: string
            }
        )[]
      }[]
      chart: string | null
      /** The names of the tools that the model would have. */
      tools: string[]
      tokens: {
        /** About how many the question has. */
        estimated: number
        /** The most that it and its answer can cost, which the budget must have left. */
        reserved: number
      }
    }
  }

  /** Start a backtest */
  'POST /api/v2/backtest {body}': {
    arguments: [
      body: {
        /** One of your strategies or reactions with code; or, with the source `deliveries`, an AI reaction, whose recorded decisions the bots follow. */
        strategy_id?: number | undefined
        /** Its version. Default: the current one. */
        version?: number | undefined
        /** Code instead of a strategy, or instead of the code of the strategy. */
        code?: string | undefined
        /** `candles`, the default: the code runs at the end of each candle. `deliveries`: it runs on each stored delivery of a data webhook. `signals`: no code runs, and the bots follow the stored signals of a bot webhook. */
        source?: 'candles' | 'deliveries' | 'signals' | undefined
        /** A stored series of candles, see `GET /candle`: one of yours, or one from an exchange. */
        candle_id?: number | undefined
        /** One of your data webhooks, for the source `deliveries`. Default: the one that the reaction is attached to. */
        webhook_id?: number | undefined
        /** One of your bot webhooks, for the source `signals`. */
        bot_webhook_id?: number | undefined
        /** The market of the candles: `BTC/USDT` for spot, `BTC/USDT:USDT` for futures. Default: that of the series. */
        symbol?: string | undefined
        /** Instead of `candle_id`: finished candles, oldest first, as `[time, open, high, low, close, volume]`, with the time of the opening in Unix milliseconds. */
        candles?: number[][] | undefined
        /** The bots trade from this time on. Default: all candles. */
        from?: string | undefined
        /** Only candles that end until then. */
        to?: string | undefined
        /** The code runs from this time on, but the bots follow only signals after `from`. */
        warmup_from?: string | undefined
        /** Variables, which code reads as `$.Env.NAME`; they replace those of your account. */
        parameters?: Record<string, string | number> | undefined
        /** What `$.Storage` has at the start: `empty` (the default), `saved` (what the strategy has stored at the time of the request), or an object of at most 24576 bytes of JSON. */
        storage?: 'empty' | 'saved' | Record<string, unknown> | undefined
        /** The last trigger at the start: `empty` (the default), `saved` (that of the strategy at the time of the request), or one that you give. */
        last_trigger?:
          | 'empty'
          | 'saved'
          | {
              action: 'LONG' | 'SHORT' | 'EXIT'
              price?: number | null | undefined
              at?: string | null | undefined
            }
          | undefined
        /** Of an AI reaction. `recorded`, the default: only decisions that its model has made live count. `live`: the model is asked about what has none, so the result cannot be repeated. */
        model?: 'recorded' | 'live' | undefined
        /** Required with `live`: the most tokens of all questions and answers together. They also count towards the budget of the reaction for the day. */
        model_budget?: number | undefined
        /** The bots that follow: ids of your signal bots, or settings. What you leave out is as for a new bot. Default: one new bot. */
        bots?:
          | (
              | number
              | {
                  /** One of your signal bots, whose settings count unless you give others. */
                  id?: number | undefined
                  name?: string | undefined
                  /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
                  symbol?: string | null | undefined
                  /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
                  on_limit?: 'stop' | 'close' | undefined
                  /** If `true`, the size of a signal counts only with `forceSize`. */
                  strict_amount?: boolean | undefined
                  /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
                  max_drawdown?: string | null | undefined
                  /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
                  max_open_positions?: number | null | undefined
                  /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
                  cooldown_seconds?: number | null | undefined
                  /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
                  max_signal_age_seconds?: number | null | undefined
                  /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
                  direction?: 'both' | 'long' | 'short' | undefined
                  /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
                  leverage?: number | null | undefined
                  /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
                  margin_mode?: 'cross' | 'isolated' | null | undefined
                  /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
                  require_stop?: boolean | undefined
                  /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
                  unprotected_seconds?: number | undefined
                  /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
                  on_unprotected?: 'close' | 'watch' | undefined
                  /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
                  delay_seconds?: number | undefined
                  /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
                  protection?:
                    | {
                        /** Where the position is closed with a loss: a price, or a distance from the entry price. */
                        stop_loss?: string | number | null | undefined
                        /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
                        take_profit?:
                          | {
                              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                              at: string | number | null
                              /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
                              part?: string | number | undefined
                            }[]
                          | string
                          | number
                          | null
                          | undefined
                        /** The stop follows the best price. */
                        trailing?:
                          | {
                              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                              by?: string | number | null | undefined
                              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                              from?: string | number | null | undefined
                              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                              step?: string | number | null | undefined
                            }
                          | null
                          | undefined
                        /** The stop moves to the entry price. */
                        break_even?:
                          | {
                              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                              after?: string | number | null | undefined
                              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                              plus?: string | number | null | undefined
                            }
                          | null
                          | undefined
                        /** The position is closed when it is this old, at whatever price; `null`: never. */
                        exit_after_seconds?: number | null | undefined
                      }
                    | null
                    | undefined
                  /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
                  max_stop_distance?: string | null | undefined
                  /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
                  entry?:
                    | {
                        /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
                        type?: 'market' | 'limit' | 'post_only' | undefined
                        /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
                        offset?: string | number | null | undefined
                        /** How long the order rests. From 1 to 86400; the default is 300. */
                        timeout_seconds?: number | null | undefined
                        /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. The default is `cancel`. */
                        on_timeout?: 'cancel' | 'market' | 'chase' | null | undefined
                        /** With `chase`: how many new limit orders there are at most; `null` otherwise. From 1 to 100; the default is 3. */
                        chases?: number | null | undefined
                        /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
                        max_slippage?: string | number | null | undefined
                      }
                    | null
                    | undefined
                  /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
                  amount_unit?: 'quote' | 'base' | 'equity_percent' | 'risk_percent' | undefined
                  /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
                  size_unit?: 'quote' | 'base' | null | undefined
                  /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
                  amount_currency?: string | undefined
                  /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
                  amount_rate?: string | null | undefined
                  /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
                  amount?: string | number | undefined
                  /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
                  fee_rate?: string | number | undefined
                  /** For paper bots: the slippage of each order, as a fraction of the current price. */
                  slippage_rate?: string | number | undefined
                  /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
                  spread_rate?: string | number | undefined
                  /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
                  start_balance?: string | number | null | undefined
                  /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
                  max_position?: string | number | null | undefined
                  /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
                  max_daily_loss?: string | number | null | undefined
                }
            )[]
          | undefined
        /** What the market of the candles is like, for all bots. Default: it takes any order, at once. */
        market?:
          | {
              participation?: string | number | null | undefined
              /** How many milliseconds pass from a signal to its fill. Default 0. */
              latency_ms?: number | undefined
              /** Sizes are rounded down to it, in base currency. Default 0.00000001. */
              size_step?: string | number | undefined
              /** The smallest order, in base currency. Default: the size step. */
              min_size?: string | number | undefined
              /** The smallest value of an order, in quote currency. Default 0. */
              min_notional?: string | number | undefined
              /** Which part of its value a position needs as margin, as a fraction. It counts for bots with a `leverage` on futures, whose margin is isolated. Default 0.005. */
              maintenance?: string | number | undefined
              funding?:
                | {
                    /** A stored series of funding rates, see `GET /candle`: one of yours, or one from an exchange. */
                    candle_id?: number | undefined
                    /** Instead of `candle_id`: the rates, oldest first, as `[time, rate]` or `[time, rate, price]`, with the mark price. */
                    rates?: (string | number)[][] | undefined
                    /** The rate of each moment that the rates lack, or of all moments, as a fraction: `0.0001`. */
                    assume?: string | number | undefined
                    /** The hours between two moments. Default: the most common distance of the rates, or else 8. */
                    every_hours?: number | undefined
                  }
                | null
                | undefined
            }
          | undefined
        /** `none`, the default: requests of `$.Http` are not sent, see `answers`. `read`: GETs that have no answer there are sent, so the result cannot be repeated. */
        http?: 'none' | 'read' | undefined
        /** What requests of `$.Http` get, by method, address and body. Others get the status 403. */
        answers?:
          | {
              /** Such as `GET`. */
              method: string
              /** With its query. */
              url: string
              body?: string | null | undefined
              status: number
              text: string
            }[]
          | undefined
        /** The seed of `Math.random` in the first run. Default 1. */
        seed?: number | undefined
        /** An open position counts at its value at the last close (`hold`, the default), or is closed there. */
        at_end?: 'hold' | 'close' | undefined
        /** Runs the code again on other data, to see whether it looks ahead and needs a longer warm-up: up to four times as long. Default true. */
        examine?: boolean | undefined
        /** Tries many combinations, 1,000 at most, with one bot. The report is that of the best one, and counts all of them as trials. */
        sweep?:
          | {
              /** The values of each parameter. Every combination is tried. */
              parameters?: Record<string, (string | number)[]> | undefined
              /** Instead of `parameters`: the sets of parameters to try. All have the same names. */
              sets?: Record<string, string | number>[] | undefined
              /** The values of settings of the bot. They run no code again, unless it asks what its bot holds. */
              settings?:
                | {
                    amount?: (string | number)[] | undefined
                    fee_rate?: (string | number)[] | undefined
                    slippage_rate?: (string | number)[] | undefined
                    spread_rate?: (string | number)[] | undefined
                  }
                | undefined
              /** Tries only so many of the combinations, which the seed chooses. */
              random?: number | undefined
              /** The figure by which a combination is the best. Default `return_percent`. */
              objective?:
                | 'return_percent'
                | 'cagr_percent'
                | 'sharpe'
                | 'sortino'
                | 'calmar'
                | 'profit_factor'
                | 'expectancy'
                | 'sqn'
                | undefined
              /** Walks forward: chooses the combination with the best return of a training, trades it on the test after it, and moves on. The report is that of all tests together. */
              walk_forward?:
                | {
                    /** The length of a training. */
                    train_days: number
                    /** The length of a test, and how far each window is from the one before. */
                    test_days: number
                    /** Each training begins with the first candle. Default false. */
                    anchored?: boolean | undefined
                  }
                | undefined
              /** A combination ends early at the first close at which its equity is so far below its highest at a close, in percent. It cannot be the best. Default: none ends early. */
              end_at_drawdown_percent?: number | undefined
            }
          | undefined
        /** Checks the request and says what it takes, and starts nothing. */
        estimate?: boolean | undefined
      },
    ]
    answer:
      | {
          /** Those on which the bots trade. */
          candles: number
          deliveries: number | null
          model: {
            /** `recorded`: the bots follow what the model has decided live. `live`: it is asked about the rest. */
            mode: string
            /** Its provider. */
            service: string
            model: string
            /** The SHA-256 of what it is asked: prompt, model, tools and chart. */
            question: string
            /** The deliveries in this time. */
            events: number
            /** Those that have a recorded decision. */
            recorded: number
            /** Why others have no decision, and how many: `no_run`, `no_answer`, `other_question`, `asked_bots`, `other_storage`, `other_last_trigger`, `other_price`; with `live`, `over_budget`, `over_day`, `unavailable`, `deleted`, or how the run of a model that was asked failed, as in the error of a run. */
            missing: Record<string, number>
            /** With `live`: the most tokens. */
            budget?: number | undefined
            /** With `live`: those that the model was asked about and has decided. Until the backtest has ended, and in an estimate: those that it will be asked about, if none of them decides anything. */
            asked?: number | undefined
            /** With `live`, in an estimate: about the most tokens of the first question about each of these. A model that calls tools is asked again, but all together never exceed `budget`. */
            question_tokens?: number | undefined
            /** With `live`: what it has used, and what is reserved for open questions. */
            tokens?: number | undefined
          } | null
          /** How often the code runs, if it does not ask what its bot holds. */
          runs: number
          /** Places where candles are missing. */
          gaps: number
          longest_gap_ms: number
          /** At how many moments of funding nobody knows the rate. If a bot holds a position then, the backtest fails. */
          unknown_rates: number
          combinations: number | null
          /** About how long it takes, once it has begun. */
          seconds: number
        }
      | Backtest
  }

  /** List your backtests, newest first */
  'GET /api/v2/backtest?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<Backtest>
  }

  /** Read a backtest with its progress */
  'GET /api/v2/backtest/{id}': { arguments: [id: number]; answer: Backtest }

  /** Delete a backtest with its report */
  'DELETE /api/v2/backtest/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Cancel a backtest */
  'PUT /api/v2/backtest/{id}/status {body}': {
    arguments: [id: number, body: { status: 'CANCELLED' }]
    answer: Backtest
  }

  /** Read what came with the request of a backtest */
  'GET /api/v2/backtest/{id}/given': {
    arguments: [id: number]
    answer: {
      storage: Record<string, unknown> | null
      last_trigger: { action: string; price: number | null; at: string | null } | null
      answers: {
        /** Such as `GET`. */
        method: string
        /** With its query. */
        url: string
        body?: string | null | undefined
        status: number
        text: string
      }[]
      funding_rates: (string | number)[][] | null
      sweep: {
        parameters?: Record<string, string[]> | undefined
        sets?: Record<string, string>[] | undefined
        settings?: Record<string, string[]> | undefined
        random?: number | undefined
        objective: string
        end_at_drawdown_percent?: number | undefined
        walk_forward?: { train_days: number; test_days: number; anchored: boolean } | undefined
      } | null
    }
  }

  /** Read the report of a backtest */
  'GET /api/v2/backtest/{id}/report?{query}': {
    arguments: [
      id: number,
      query?: {
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
        /** `html`: a page for people, without scripts, which loads nothing. `csv`: a table, see `table`. Default `json`. */
        format?: 'json' | 'html' | 'csv' | undefined
        /** What a CSV file has. Default `figures`. */
        table?: 'figures' | 'trade' | 'fill' | 'equity' | 'signal' | 'run' | undefined
      },
    ]
    answer: {
      digest: string
      /** What was asked for. */
      request: Record<string, unknown>
      bot: {
        name: string
        /** As in the settings of a bot. */
        settings: Record<string, unknown>
      }
      symbols: string[]
      quote: string
      from: string
      to: string
      assumptions: { days_per_year: number; risk_free_percent: number }
      start_equity: number
      end_equity: number
      metrics: {
        name: string
        label: string
        /** `percent`, `ratio`, `days`, `money` or `count`. */
        unit: string
        formula: string
        source: string
        value: number | null
        reason: string | null
      }[]
      /** The figures as other tools define them. */
      definitions: Record<
        string,
        {
          name: string
          label: string
          /** `percent`, `ratio`, `days`, `money` or `count`. */
          unit: string
          formula: string
          source: string
          value: number | null
          reason: string | null
        }[]
      >
      /** Reasons for doubt. */
      checks: {
        name: string
        label: string
        /** `doubt`, `good` or `unknown`. */
        verdict: string
        value: number | null
        unit: string
        /** A sentence for people. */
        says: string
        doubt_if: string
        source: string
      }[]
      costs: { fees: number; spread: number; slippage: number; funding: number; total: number }
      days: { day: string; equity: number }[]
      months: {
        month: string
        equity: number
        return_percent: { value: number | null; reason: string | null }
      }[]
      drawdowns: { from: string; until: string; depth_percent: number; amount: number; is_over: boolean }[]
      /** How many signals ended in which way. */
      outcomes: Record<string, number>
      candles: number
      fills: number
    }
  }

  /** Read the combinations of a sweep */
  'GET /api/v2/backtest/{id}/sweep': {
    arguments: [id: number]
    answer: {
      /** The figure by which one is the best. */
      objective: string
      /** The number of the best combination, on all candles. The report is its own, unless it is that of a walk-forward. */
      best: number
      axes: {
        /** `parameter` of the code, or `setting` of the bot. */
        of: string
        name: string
        /** In the order in which they are neighbours. */
        values: string[]
      }[]
      /** Those that differ from the best in one parameter or setting, by one of its values. */
      neighbours: {
        of: string
        name: string
        value: string
        /** Its number. */
        combination: number
        change: number | null
      }[]
      neighbours_mean: number | null
      walk_forward?:
        | {
            train_from: string
            test_from: string
            test_to: string
            /** Those that were chosen. */
            parameters: Record<string, string>
            /** Their return in the training. */
            train_return_percent: number
            /** What the bot returned in the test. */
            test_return_percent: number
          }[]
        | null
        | undefined
      /** Those of the report that ask for luck. */
      checks: {
        name: string
        label: string
        /** `doubt`, `good` or `unknown`. */
        verdict: string
        value: number | null
        unit: string
        /** A sentence for people. */
        says: string
        doubt_if: string
        source: string
      }[]
      combinations: {
        /** Counts from 1. */
        number: number
        /** Those that the sweep varies. */
        parameters: Record<string, string>
        /** Those of the bot that the sweep varies. */
        settings: Record<string, string>
        ended_at?: string | null | undefined
        end_equity: number
        return_percent: number | null
        cagr_percent: number | null
        max_drawdown_percent: number | null
        max_drawdown_within_percent: number | null
        sharpe: number | null
        sortino: number | null
        calmar: number | null
        profit_factor: number | null
        expectancy: number | null
        sqn: number | null
        win_rate_percent: number | null
        trades: number
        /** Runs of the code that failed. */
        failed: number
        /** Runs that broke a rule. */
        violated: number
        /** That of a backtest with these parameters and settings. */
        digest: string
      }[]
    }
  }

  /** Candles of a backtest, for charts */
  'GET /api/v2/backtest/{id}/candle?{query}': {
    arguments: [
      id: number,
      query?: {
        /** One of `intervals`. Default: the shortest in which all candles are at most `count`. */
        interval?: string | undefined
        /** How many. Default 1,000. */
        count?: number | undefined
        /** Only candles that open before this moment. Default: the latest. */
        until?: string | undefined
      },
    ]
    answer: {
      symbol: string
      interval: string | null
      /** Those that there are, the shortest first. */
      intervals: string[]
      /** Oldest first. */
      candles: {
        /** When it opened, in Unix milliseconds. */
        time: number
        open: number
        high: number
        low: number
        /** The close. */
        last: number
        volume: number
      }[]
    }
  }

  /** Trades of a backtest, newest first */
  'GET /api/v2/backtest/{id}/trade?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
      },
    ]
    answer: List<{
      /** Counts from 1, in order of time. */
      id: number
      symbol: string
      /** LONG or SHORT. */
      side: string
      /** ISO 8601, UTC. */
      opened_at: string
      /** ISO 8601, UTC. */
      closed_at: string
      size: number
      entry_price: number
      exit_price: number
      fees: number
      /** After all fees and funding. */
      profit: number
      /** Why its order was sent: `signal`, something that the bot does by itself, `liquidation`, or `end`. */
      origin: string
    }>
  }

  /** Fills of a backtest, newest first */
  'GET /api/v2/backtest/{id}/fill?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
      },
    ]
    answer: List<{
      /** Counts from 1, in order of time. */
      id: number
      /** ISO 8601, UTC. */
      at: string
      symbol: string
      side: string
      size: number
      price: number
      fee: number
      spread_cost: number
      slippage_cost: number
      funding_cost: number
      realised: number
      /** Negative for a short. */
      position_after: number
      /** Why its order was sent: `signal`, something that the bot does by itself, `liquidation`, or `end`. */
      origin: string
    }>
  }

  /** Equity of a backtest, newest first */
  'GET /api/v2/backtest/{id}/equity?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
      },
    ]
    answer: List<{
      /** Counts from 1, in order of time. */
      id: number
      /** ISO 8601, UTC. */
      at: string
      /** At the close of a candle. */
      equity: number
      /** The lowest that it was since the point before. */
      worst: number
    }>
  }

  /** Signals, with what became of them, of a backtest, newest first */
  'GET /api/v2/backtest/{id}/signal?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
      },
    ]
    answer: List<{
      /** Counts from 1, in order of time. */
      id: number
      /** ISO 8601, UTC. */
      at: string
      /** LONG, SHORT or EXIT. */
      action: string
      /** What became of it, as for signals of bots; also `RESTING` and `UNFOLLOWED`. */
      outcome: string
      reason: string | null
    }>
  }

  /** Runs that logged something, failed or broke a rule of a backtest, newest first */
  'GET /api/v2/backtest/{id}/run?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** The bot by its `number`. Default 1. */
        bot?: number | undefined
      },
    ]
    answer: List<{
      /** Counts from 1, in order of time. */
      id: number
      /** The end of its candle, or when its delivery came. */
      at: string
      /** SUCCEEDED, FAILED or VIOLATION. */
      status: string
      log: string | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      suspended_until: string | null
    }>
  }

  /** List the runs of a code strategy, newest first */
  'GET /api/v2/strategy/code/{id}/runs?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      strategy_id: number
      /** schedule, tick, manual, webhook or replay. */
      trigger: string
      /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
      status: string
      /** ISO 8601, UTC. */
      queued_at: string
      started_at: string | null
      finished_at: string | null
      duration_ms: number | null
      delivery_id: number | null
      signal_id: number | null
      approval_id: number | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      log: string | null
      /** Its calls of `$.Http`, in order. */
      http: {
        method: string
        /** The address, without secrets. */
        url: string
        /** The status that the code received. */
        status: number
        /** Whether the response came from the cache. */
        cache: boolean
        /** The time until the code had its response, in ms. */
        ms: number
      }[]
    }>
  }

  /** List the runs of a code reaction, newest first */
  'GET /api/v2/strategy/reaction/code/{id}/runs?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      strategy_id: number
      /** schedule, tick, manual, webhook or replay. */
      trigger: string
      /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
      status: string
      /** ISO 8601, UTC. */
      queued_at: string
      started_at: string | null
      finished_at: string | null
      duration_ms: number | null
      delivery_id: number | null
      signal_id: number | null
      approval_id: number | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      log: string | null
      /** Its calls of `$.Http`, in order. */
      http: {
        method: string
        /** The address, without secrets. */
        url: string
        /** The status that the code received. */
        status: number
        /** Whether the response came from the cache. */
        cache: boolean
        /** The time until the code had its response, in ms. */
        ms: number
      }[]
    }>
  }

  /** List the runs of an AI reaction, newest first */
  'GET /api/v2/strategy/reaction/llm/{id}/runs?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      strategy_id: number
      /** schedule, tick, manual, webhook or replay. */
      trigger: string
      /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
      status: string
      /** ISO 8601, UTC. */
      queued_at: string
      started_at: string | null
      finished_at: string | null
      duration_ms: number | null
      delivery_id: number | null
      signal_id: number | null
      approval_id: number | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      log: string | null
      /** Its calls of `$.Http`, in order. */
      http: {
        method: string
        /** The address, without secrets. */
        url: string
        /** The status that the code received. */
        status: number
        /** Whether the response came from the cache. */
        cache: boolean
        /** The time until the code had its response, in ms. */
        ms: number
      }[]
    }>
  }

  /** List the runs of an AI session, newest first */
  'GET /api/v2/strategy/llm-session/{id}/runs?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<{
      id: number
      strategy_id: number
      /** schedule, tick, manual, webhook or replay. */
      trigger: string
      /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
      status: string
      /** ISO 8601, UTC. */
      queued_at: string
      started_at: string | null
      finished_at: string | null
      duration_ms: number | null
      delivery_id: number | null
      signal_id: number | null
      approval_id: number | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      log: string | null
      /** Its calls of `$.Http`, in order. */
      http: {
        method: string
        /** The address, without secrets. */
        url: string
        /** The status that the code received. */
        status: number
        /** Whether the response came from the cache. */
        cache: boolean
        /** The time until the code had its response, in ms. */
        ms: number
      }[]
    }>
  }

  /** List the runs of all your strategies, newest first */
  'GET /api/v2/run?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** Only events from this time or later. */
        since?: string | undefined
        /** Only events from this time or earlier. */
        until?: string | undefined
        status?: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'VIOLATION' | 'SKIPPED' | undefined
        strategy_id?: number | undefined
        /** Only runs for deliveries of this data webhook. */
        webhook_id?: number | undefined
        trigger?: 'schedule' | 'tick' | 'manual' | 'webhook' | 'replay' | undefined
        /** Only events with this text in the log, the error or the payload. Ignores case. `%`, `_` and `*` mean themselves. */
        q?: string | undefined
      },
    ]
    answer: List<{
      id: number
      strategy_id: number
      /** schedule, tick, manual, webhook or replay. */
      trigger: string
      /** QUEUED, RUNNING, SUCCEEDED, FAILED, VIOLATION or SKIPPED. */
      status: string
      /** ISO 8601, UTC. */
      queued_at: string
      started_at: string | null
      finished_at: string | null
      duration_ms: number | null
      delivery_id: number | null
      signal_id: number | null
      approval_id: number | null
      error: { name: string; message: string; line: number | null; column: number | null } | null
      violation: { rule: string; limit: number; actual: number } | null
      log: string | null
      /** Its calls of `$.Http`, in order. */
      http: {
        method: string
        /** The address, without secrets. */
        url: string
        /** The status that the code received. */
        status: number
        /** Whether the response came from the cache. */
        cache: boolean
        /** The time until the code had its response, in ms. */
        ms: number
      }[]
    }>
  }

  /** Read a run with its log, its transcript and what its code saw */
  'GET /api/v2/run/{id}': { arguments: [id: number]; answer: Run }

  /** Show everything that happened in a run, step by step */
  'GET /api/v2/run/{id}/trace': {
    arguments: [id: number]
    answer: {
      run: {
        id: number
        strategy_id: number
        strategy_name: string
        /** code-strategy, code-reaction, llm-reaction or llm-session. */
        strategy_type: string
        version: number | null
        /** schedule, tick, manual, webhook or replay. */
        trigger: string
        status: string
        delivery_id: number | null
        signal_id: number | null
        approval_id: number | null
      }
      /** Everything that happened, at most 2000 steps. A step comes after its cause; otherwise the times decide. */
      steps: {
        at: string | null
        offset_ms: number | null
        run_ms: number | null
        took_ms: number | null
        /** `received`: a payload arrived; `stored`: the service stored it; `due`: the time of a schedule came; `queued`: a run began to wait for its turn; `started`: a run started; `log`: the code wrote a line to its log; `call`: the code or the model made a call; `answer`: a call was answered; `prompt`: the service wrote a prompt; `chart`: the service drew a chart for the model; `asked`: the service asked a model; `reply`: the model replied; `failure`: a model could not be asked; `change`: a model changed a strategy; `approval`: an action or a change began to wait for its owner; `decision`: the wait for the owner ended; `ended`: a run ended; `suspended`: a strategy was suspended; `signal`: the service stored a signal; `bot`: a bot got a signal; `order`: a bot planned an order and wrote it down; `sent`: a bot began to send an order; `acknowledged`: the exchange answered; `fill`: the exchange executed a part of an order; `booked`: the books of a bot got a fill; `settled`: an order or a signal ended; `missing`: something did not happen; `reason` says why; `cut`: further steps are not shown. */
        kind: string
        /** A sentence, the line of a log, or a call. It may contain any text. */
        text: string
        reason: string | null
        /** `false` if the reason deserves a look: something failed, was refused or waits for somebody. `true` without a reason, and for a usual one, such as a run that sent no action. */
        is_usual: boolean
        delivery_id?: number | undefined
        run_id?: number | undefined
        strategy_id?: number | undefined
        approval_id?: number | undefined
        signal_id?: number | undefined
        bot_id?: number | undefined
        bot_signal_id?: number | undefined
        order_id?: number | undefined
        fill_id?: number | undefined
      }[]
      outcome: {
        /** The status of the run. */
        status: string
        text: string
        /** What did not happen, and why: the reasons of the steps, at most 20. */
        reasons: string[]
        /** Whether all steps are usual: nothing deserves a look. */
        is_usual: boolean
      }
    }
  }

  /** Show everything that happened because of a payload, step by step */
  'GET /api/v2/delivery/{id}/trace': {
    arguments: [id: number]
    answer: {
      delivery: {
        id: number
        webhook_id: number
        /** ISO 8601, UTC. */
        received_at: string
        /** How many reactions it triggered, including those of other users. */
        reactions: number
        /** The runs of your own reactions, at most 20. */
        runs: {
          id: number
          strategy_id: number
          strategy_name: string
          /** code-strategy, code-reaction, llm-reaction or llm-session. */
          strategy_type: string
          version: number | null
          /** schedule, tick, manual, webhook or replay. */
          trigger: string
          status: string
          delivery_id: number | null
          signal_id: number | null
          approval_id: number | null
        }[]
      }
      /** Everything that happened, at most 2000 steps. A step comes after its cause; otherwise the times decide. */
      steps: {
        at: string | null
        offset_ms: number | null
        run_ms: number | null
        took_ms: number | null
        /** `received`: a payload arrived; `stored`: the service stored it; `due`: the time of a schedule came; `queued`: a run began to wait for its turn; `started`: a run started; `log`: the code wrote a line to its log; `call`: the code or the model made a call; `answer`: a call was answered; `prompt`: the service wrote a prompt; `chart`: the service drew a chart for the model; `asked`: the service asked a model; `reply`: the model replied; `failure`: a model could not be asked; `change`: a model changed a strategy; `approval`: an action or a change began to wait for its owner; `decision`: the wait for the owner ended; `ended`: a run ended; `suspended`: a strategy was suspended; `signal`: the service stored a signal; `bot`: a bot got a signal; `order`: a bot planned an order and wrote it down; `sent`: a bot began to send an order; `acknowledged`: the exchange answered; `fill`: the exchange executed a part of an order; `booked`: the books of a bot got a fill; `settled`: an order or a signal ended; `missing`: something did not happen; `reason` says why; `cut`: further steps are not shown. */
        kind: string
        /** A sentence, the line of a log, or a call. It may contain any text. */
        text: string
        reason: string | null
        /** `false` if the reason deserves a look: something failed, was refused or waits for somebody. `true` without a reason, and for a usual one, such as a run that sent no action. */
        is_usual: boolean
        delivery_id?: number | undefined
        run_id?: number | undefined
        strategy_id?: number | undefined
        approval_id?: number | undefined
        signal_id?: number | undefined
        bot_id?: number | undefined
        bot_signal_id?: number | undefined
        order_id?: number | undefined
        fill_id?: number | undefined
      }[]
      outcome: {
        /** IGNORED: none of your reactions ran. OPEN: a run, or a bot with its signal, has not ended. DONE: all have. */
        status: string
        text: string
        /** What did not happen, and why: the reasons of the steps, at most 20. */
        reasons: string[]
        /** Whether all steps are usual: nothing deserves a look. */
        is_usual: boolean
      }
    }
  }

  /** Show everything that happened because of a post to a bot webhook, step by step */
  'GET /api/v2/webhook/bot/{id}/deliveries/{delivery_id}/trace': {
    arguments: [id: number, delivery_id: number]
    answer: {
      delivery: {
        /** The id of the delivery, which is that of its signal too. */
        id: number
        webhook_id: number
        /** ISO 8601, UTC. */
        received_at: string
        /** How many bots took the signal, including those of other users. */
        bots: number
      }
      /** Everything that happened, at most 2000 steps. A step comes after its cause; otherwise the times decide. */
      steps: {
        at: string | null
        offset_ms: number | null
        run_ms: number | null
        took_ms: number | null
        /** `received`: a payload arrived; `stored`: the service stored it; `due`: the time of a schedule came; `queued`: a run began to wait for its turn; `started`: a run started; `log`: the code wrote a line to its log; `call`: the code or the model made a call; `answer`: a call was answered; `prompt`: the service wrote a prompt; `chart`: the service drew a chart for the model; `asked`: the service asked a model; `reply`: the model replied; `failure`: a model could not be asked; `change`: a model changed a strategy; `approval`: an action or a change began to wait for its owner; `decision`: the wait for the owner ended; `ended`: a run ended; `suspended`: a strategy was suspended; `signal`: the service stored a signal; `bot`: a bot got a signal; `order`: a bot planned an order and wrote it down; `sent`: a bot began to send an order; `acknowledged`: the exchange answered; `fill`: the exchange executed a part of an order; `booked`: the books of a bot got a fill; `settled`: an order or a signal ended; `missing`: something did not happen; `reason` says why; `cut`: further steps are not shown. */
        kind: string
        /** A sentence, the line of a log, or a call. It may contain any text. */
        text: string
        reason: string | null
        /** `false` if the reason deserves a look: something failed, was refused or waits for somebody. `true` without a reason, and for a usual one, such as a run that sent no action. */
        is_usual: boolean
        delivery_id?: number | undefined
        run_id?: number | undefined
        strategy_id?: number | undefined
        approval_id?: number | undefined
        signal_id?: number | undefined
        bot_id?: number | undefined
        bot_signal_id?: number | undefined
        order_id?: number | undefined
        fill_id?: number | undefined
      }[]
      outcome: {
        /** IGNORED: no bot took the signal. OPEN: a bot of yours has not ended. DONE: all have. */
        status: string
        text: string
        /** What did not happen, and why: the reasons of the steps, at most 20. */
        reasons: string[]
        /** Whether all steps are usual: nothing deserves a look. */
        is_usual: boolean
      }
    }
  }

  /** Run a code strategy now */
  'POST /api/v2/strategy/code/{id}/trigger': {
    arguments: [id: number]
    answer: { id: number; run_id: number }
  }

  /** Run an AI session now */
  'POST /api/v2/strategy/llm-session/{id}/trigger': {
    arguments: [id: number]
    answer: { id: number; run_id: number }
  }

  /** Show what became of the times of a schedule */
  'GET /api/v2/strategy/code/{id}/schedule/trace?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only times from this one or earlier. Default: now. */
        until?: string | undefined
        /** How many times. */
        count?: number | undefined
      },
    ]
    answer: {
      strategy_id: number
      cron_interval: string
      timezone: string
      /** Whether prices trigger the strategy. Then it has no times. */
      ticks: boolean
      reason: string | null
      /** Newest first. */
      times: {
        /** ISO 8601, UTC. */
        at: string
        /** RUN: it queued a run. JOINED: the service was late, and one run stands for several times. NONE: it queued no run. PENDING: the service has not got to it yet. */
        outcome: string
        run_id: number | null
        run_status: string | null
        reason: string | null
      }[]
      next_until: string | null
    }
  }

  /** Show what became of the times of a schedule */
  'GET /api/v2/strategy/llm-session/{id}/schedule/trace?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only times from this one or earlier. Default: now. */
        until?: string | undefined
        /** How many times. */
        count?: number | undefined
      },
    ]
    answer: {
      strategy_id: number
      cron_interval: string
      timezone: string
      /** Whether prices trigger the strategy. Then it has no times. */
      ticks: boolean
      reason: string | null
      /** Newest first. */
      times: {
        /** ISO 8601, UTC. */
        at: string
        /** RUN: it queued a run. JOINED: the service was late, and one run stands for several times. NONE: it queued no run. PENDING: the service has not got to it yet. */
        outcome: string
        run_id: number | null
        run_status: string | null
        reason: string | null
      }[]
      next_until: string | null
    }
  }

  /** List the actions and changes that wait, or have waited, for your approval, newest first */
  'GET /api/v2/approval?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** `SUPERSEDED`: the strategy has since asked for another action, or for another change of the same kind. `NOT_NEEDED`: the service made the change at once. */
        status?: 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'SUPERSEDED' | 'NOT_NEEDED' | undefined
        strategy_id?: number | undefined
        run_id?: number | undefined
      },
    ]
    answer: List<ApprovalInList>
  }

  /** Read an approval */
  'GET /api/v2/approval/{id}': { arguments: [id: number]; answer: Approval }

  /** Approve an action or a change, which takes effect at once */
  'POST /api/v2/approval/{id}/approve': { arguments: [id: number]; answer: Approval }

  /** Reject an action or a change, so that it never takes effect */
  'POST /api/v2/approval/{id}/reject': { arguments: [id: number]; answer: Approval }

  /** Find your strategies, webhooks, bots, variables, folders, connections, API keys and endpoints */
  'GET /api/v2/search?{query}': {
    arguments: [
      query: {
        /** What to look for. */
        q: string
      },
    ]
    answer: {
      /** In order of id; at most 20. */
      strategies: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      data_webhooks: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      bot_webhooks: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      bots: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      bots_without_venue: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      variables: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      folders: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      exchange_connections: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      ai_connections: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      api_keys: { id: number; type: string | null; name: string; text: string | null }[]
      /** In order of id; at most 20. */
      notification_endpoints: { id: number; type: string | null; name: string; text: string | null }[]
      /** The kinds with further hits. */
      more: string[]
    }
  }

  /** List your signals, newest first */
  'GET /api/v2/signal?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        strategy_id?: number | undefined
        run_id?: number | undefined
        webhook_id?: number | undefined
        action?: 'LONG' | 'SHORT' | 'EXIT' | undefined
        /** Lists only signals from this moment on. */
        since?: string | undefined
      },
    ]
    answer: List<Signal>
  }

  /** Read a signal */
  'GET /api/v2/signal/{id}': { arguments: [id: number]; answer: Signal }

  /** Show what became of a signal */
  'GET /api/v2/signal/{id}/outcome': {
    arguments: [id: number]
    answer: {
      id: number
      webhook_id: number | null
      action: 'LONG' | 'SHORT' | 'EXIT'
      symbols: string[]
      options: {
        id?: string | undefined
        /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
        size?: number | undefined
        /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
        sizeUnit?: 'base' | 'quote' | undefined
        dilution?: boolean | undefined
        forceSize?: boolean | undefined
        /** Of an EXIT: it closes a position on this side only. Absent: on any. */
        closes?: 'long' | 'short' | undefined
        /** What the position that it opens is protected by, instead of what the bot says. */
        protection?:
          | {
              /** Where the position is closed with a loss: a price, or a distance from the entry price. */
              stop_loss?: string | null | undefined
              /** At most 8 targets, the nearest first. Each closes a part of the position. */
              take_profit?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                    at: string
                    /** A fraction of the position as it was opened. All parts together are at most 1. */
                    part: string
                  }[]
                | undefined
              /** The stop follows the best price. */
              trailing?:
                | {
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                    by: string
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                    from: string | null
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                    step: string | null
                  }
                | null
                | undefined
              /** The stop moves to the entry price. */
              break_even?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                    after: string
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                    plus: string | null
                  }
                | null
                | undefined
              /** The position is closed when it is this old, at whatever price; `null`: never. */
              exit_after_seconds?: number | null | undefined
            }
          | undefined
        /** How the bots enter, instead of what they say. An option that was not given is absent. */
        entry?:
          | {
              /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
              type: 'market' | 'limit' | 'post_only'
              /** The limit, in quote currency. */
              price?: string | undefined
              /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
              offset?: string | null | undefined
              /** How long the order rests. */
              timeout_seconds?: number | undefined
              /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
              on_timeout?: 'cancel' | 'market' | 'chase' | undefined
              /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
              chases?: number | null | undefined
              /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
              max_slippage?: string | null | undefined
            }
          | undefined
        /** Names a prediction market. */
        slug?: string | undefined
        outcome?: string | undefined
      }
      /** What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal. */
      flags: ('TEST' | 'REVERSE' | 'DEBUG')[]
      /** Whether a bot took it. */
      delivered: boolean
      reason: string | null
      /** ISO 8601, UTC. */
      received_at: string
      /** Whether all your bots have ended it. */
      complete: boolean
      /** The first 20 of your own bots and their symbols. */
      bots: {
        bot_id: number
        bot_name: string
        mode: 'paper' | 'live'
        /** Whether it trades live with an account without real money. */
        demo: boolean
        symbol: string
        status:
          | 'DELAYED'
          | 'QUEUED'
          | 'WORKING'
          | 'CLOSING'
          | 'WAITING'
          | 'DONE'
          | 'IGNORED'
          | 'REFUSED'
          | 'FAILED'
        reason: string | null
        finished_at: string | null
        /** The last 10. */
        orders: {
          purpose: 'open' | 'close'
          side: 'buy' | 'sell'
          /** In base currency. */
          size: string
          filled_size: string
          average_price: string | null
          status: 'PLANNED' | 'OPEN' | 'UNKNOWN' | 'FILLED' | 'CANCELED' | 'REJECTED'
          reason: string | null
        }[]
      }[]
      bots_total: number
    }
  }

  /** List your exchange connections */
  'GET /api/v2/api/exchange?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<ExchangeConnection>
  }

  /** Create an exchange connection after checking its credentials with the exchange */
  'POST /api/v2/api/exchange {body}': {
    arguments: [
      body: {
        name?: string | undefined
        /** An enabled CEX exchange of the catalogue. */
        exchange_id: number
        /** Whether it is an account of the demo or testnet of the exchange, without real money. */
        demo?: boolean | undefined
        /** The API key from the exchange. */
        api_key?: string | undefined
        /** The secret of the key. */
        api_secret?: string | undefined
        /** The passphrase of the key, if the exchange requires one. */
        password?: string | undefined
        /** Your user id at the exchange, if it requires one. */
        uid?: string | undefined
        /** Your account id at the exchange, if it requires one. */
        account_id?: string | undefined
        /** Your login at the exchange, if it requires one. */
        login?: string | undefined
        /** The address of the account, if it is a wallet. */
        wallet_address?: string | undefined
        /** The key that signs for the wallet. Prefer the key of an agent wallet, which cannot withdraw. */
        private_key?: string | undefined
      },
    ]
    answer: ExchangeConnection
  }

  /** Check credentials with the exchange without storing them */
  'POST /api/v2/api/exchange/test {body}': {
    arguments: [
      body: {
        /** An enabled CEX exchange of the catalogue. */
        exchange_id: number
        /** Whether it is an account of the demo or testnet of the exchange, without real money. */
        demo?: boolean | undefined
        /** The API key from the exchange. */
        api_key?: string | undefined
        /** The secret of the key. */
        api_secret?: string | undefined
        /** The passphrase of the key, if the exchange requires one. */
        password?: string | undefined
        /** Your user id at the exchange, if it requires one. */
        uid?: string | undefined
        /** Your account id at the exchange, if it requires one. */
        account_id?: string | undefined
        /** Your login at the exchange, if it requires one. */
        login?: string | undefined
        /** The address of the account, if it is a wallet. */
        wallet_address?: string | undefined
        /** The key that signs for the wallet. Prefer the key of an agent wallet, which cannot withdraw. */
        private_key?: string | undefined
      },
    ]
    answer: {
      message: 'Success'
      /** Whether it is an account without real money. */
      demo: boolean
      account_id: string | null
      account_type: string | null
      may_trade: boolean | null
      may_withdraw: boolean | null
      ip_restricted: boolean | null
      position_mode: 'one-way' | 'hedge' | null
      /** Why live bots cannot trade with the account as it is, and what to change. */
      obstacles: string[]
      /** What you should change or know. */
      warnings: string[]
    }
  }

  /** Read an exchange connection */
  'GET /api/v2/api/exchange/{id}': { arguments: [id: number]; answer: ExchangeConnection }

  /** Delete an exchange connection that no bot uses */
  'DELETE /api/v2/api/exchange/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Switch an exchange connection on or off */
  'PUT /api/v2/api/exchange/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: ExchangeConnection
  }

  /** List your prediction connections */
  'GET /api/v2/api/prediction?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      exchange_id: number
      name: string
      status: 'ACTIVE' | 'INACTIVE'
      key_ending: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Create a prediction connection after checking the form of its credentials */
  'POST /api/v2/api/prediction {body}': {
    arguments: [
      body: {
        name?: string | undefined
        /** A prediction market of the catalogue, such as 15: Polymarket. */
        exchange_id: number
        /** The address that holds the funds: 0x and 40 hexadecimal digits. */
        wallet_address?: string | undefined
        /** The key that signs. Of a wallet: 64 hexadecimal digits. */
        private_key?: string | undefined
        /** The API key, if the market requires one. */
        api_key?: string | undefined
        /** The secret of the key, if the market requires one. */
        api_secret?: string | undefined
      },
    ]
    answer: {
      id: number
      exchange_id: number
      name: string
      status: 'ACTIVE' | 'INACTIVE'
      key_ending: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Check the form of credentials without storing them */
  'POST /api/v2/api/prediction/test {body}': {
    arguments: [
      body: {
        /** A prediction market of the catalogue, such as 15: Polymarket. */
        exchange_id: number
        /** The address that holds the funds: 0x and 40 hexadecimal digits. */
        wallet_address?: string | undefined
        /** The key that signs. Of a wallet: 64 hexadecimal digits. */
        private_key?: string | undefined
        /** The API key, if the market requires one. */
        api_key?: string | undefined
        /** The secret of the key, if the market requires one. */
        api_secret?: string | undefined
      },
    ]
    answer: boolean
  }

  /** Read a prediction connection */
  'GET /api/v2/api/prediction/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      exchange_id: number
      name: string
      status: 'ACTIVE' | 'INACTIVE'
      key_ending: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Delete a prediction connection that no bot uses */
  'DELETE /api/v2/api/prediction/{id}': { arguments: [id: number]; answer: string }

  /** Switch a prediction connection on or off */
  'PUT /api/v2/api/prediction/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: {
      id: number
      exchange_id: number
      name: string
      status: 'ACTIVE' | 'INACTIVE'
      key_ending: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** List the supported providers of language models */
  'GET /api/v2/api/llm/services': {
    arguments: []
    answer: { id: number; name: string; base_url: string | null; needs_key: boolean }[]
  }

  /** List the models of a provider */
  'GET /api/v2/api/llm/models/{id}?{query}': {
    arguments: [
      id: number,
      query?: {
        /** The connection that is used to ask the provider. */
        connection_id?: number | undefined
      },
    ]
    answer: {
      /** A number for clients that need one. It never changes. */
      id: number
      /** The name that the provider uses. */
      name: string
      /** `provider`: the provider lists it for your key. `service`: this version knows it. */
      source: 'provider' | 'service'
    }[]
  }

  /** List your AI connections, without their keys */
  'GET /api/v2/api/llm?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<AiConnection>
  }

  /** Create an AI connection, after its model has answered a short question */
  'POST /api/v2/api/llm {body}': {
    arguments: [
      body: {
        /** One of `/api/llm/services`. */
        service_id: number
        name?: string | undefined
        api_key?: string | undefined
        /** Replaces the service's own address. */
        base_url?: string | undefined
        /** The name that the provider uses for the model, or its id in the list of models. */
        model: string | number
        /** Request answers as a stream of events. */
        streaming?: boolean | undefined
        fallback_id?: number | null | undefined
      },
    ]
    answer: AiConnection
  }

  /** Read an AI connection, without its key */
  'GET /api/v2/api/llm/{id}': { arguments: [id: number]; answer: AiConnection }

  /** Delete an unused AI connection */
  'DELETE /api/v2/api/llm/{id}': { arguments: [id: number]; answer: string }

  /** Set the model of an AI connection, after it has answered a short question */
  'PUT /api/v2/api/llm/{id}/model {body}': {
    arguments: [
      id: number,
      body: {
        /** The name that the provider uses for the model, or its id in the list of models. */
        model: string | number
      },
    ]
    answer: AiConnection
  }

  /** Set the fallback of an AI connection */
  'PUT /api/v2/api/llm/{id}/fallback {body}': {
    arguments: [id: number, body: { fallback_id: number | null }]
    answer: AiConnection
  }

  /** List how much of their budgets your AI reactions have spent today */
  'GET /api/v2/strategy/reaction/llm/budget?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only AI reactions with this AI connection. */
        connection_id?: number | undefined
      },
    ]
    answer: List<{
      strategy_id: number
      name: string
      connection_id: number | null
      /** Today, in UTC. */
      day: string
      /** ISO 8601, UTC. */
      renews_at: string
      tokens: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
      actions: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
    }>
  }

  /** Read how much of its budget an AI reaction has spent today */
  'GET /api/v2/strategy/reaction/llm/{id}/budget': {
    arguments: [id: number]
    answer: {
      strategy_id: number
      name: string
      connection_id: number | null
      /** Today, in UTC. */
      day: string
      /** ISO 8601, UTC. */
      renews_at: string
      tokens: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
      actions: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
    }
  }

  /** List how much of their budgets your AI sessions have spent today */
  'GET /api/v2/strategy/llm-session/budget?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only AI sessions with this AI connection. */
        connection_id?: number | undefined
      },
    ]
    answer: List<{
      strategy_id: number
      name: string
      connection_id: number | null
      /** Today, in UTC. */
      day: string
      /** ISO 8601, UTC. */
      renews_at: string
      tokens: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
      actions: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
    }>
  }

  /** Read how much of its budget an AI session has spent today */
  'GET /api/v2/strategy/llm-session/{id}/budget': {
    arguments: [id: number]
    answer: {
      strategy_id: number
      name: string
      connection_id: number | null
      /** Today, in UTC. */
      day: string
      /** ISO 8601, UTC. */
      renews_at: string
      tokens: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
      actions: {
        limit: number
        /** With what is reserved for questions without an answer yet. Above `limit` if the limit was lowered, or a provider reported more than was requested. */
        spent: number
        left: number
      }
    }
  }

  /** Read whether bots of this installation may trade */
  'GET /api/v2/trading': { arguments: []; answer: TradingSwitch }

  /** Turn live trading on or off, or halt all trading at once (administrators) */
  'PUT /api/v2/trading {body}': {
    arguments: [
      body: {
        /** Whether live bots may send orders to exchanges. Off until an administrator turns live trading on. */
        live_trading?: boolean | undefined
        /** With `true`, no bot sends or fills orders, not even on paper and not even to close. With `openings`, no bot sends or fills orders that open, but closes go on. */
        halted?: boolean | 'openings' | undefined
        reason?: string | null | undefined
      },
    ]
    answer: TradingSwitch
  }

  /** Read the state of the installation (administrators) */
  'GET /api/v2/system': {
    arguments: []
    answer: {
      /** Of the service, on the node that answers. */
      version: string
      /** Of Node.js. */
      node_version: string
      /** The node that answers. */
      node: {
        id: string
        roles: string[]
        /** ISO 8601, UTC. */
        started_at: string
        memory_bytes: number
      }
      /** The nodes that were alive in the last hour, at most 100, as of their last heartbeat. A field is null if a node of an older version did not write it. */
      nodes: {
        id: string
        /** Whether its heartbeat is recent. */
        alive: boolean
        /** Whether it is the one that answers. */
        is_this: boolean
        /** ISO 8601, UTC. */
        started_at: string
        /** ISO 8601, UTC. */
        heartbeat_at: string
        roles: string[] | null
        version: string | null
        node_version: string | null
        memory_bytes: number | null
        executors: { executors: number; alive: number; running: number; queued: number } | null
      }[]
      /** Of all users and nodes. Each is counted up to 10,000. */
      queues: {
        runs_waiting: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        runs_under_way: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        bot_signals_open: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        bot_signals_delayed: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        bot_signals_waiting: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        notifications_waiting: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        mails_waiting: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
        approvals_waiting: {
          count: number
          /** false: there are more. */
          is_exact: boolean
        }
      }
      executors: {
        executors: number
        alive: number
        running: number
        queued: number
        warm_isolates: number
        cold_starts: number
        respawns: number
        containment: string
        containment_layers: string[]
        containment_missing: string[]
      } | null
      market: { kind: string; watched: number }
      /** After how many days the node that answers deletes what is old. */
      retention: {
        /** For runs, deliveries, refused posts, mails and notifications. */
        days: number
        /** For the audit log. */
        audit_days: number
      }
      mail: {
        /** false: no mail server is set, and mail is only stored. */
        is_sent: boolean
      }
      database: {
        kind: 'embedded' | 'postgres'
        version: string
        size_bytes: number
        connections: number
        max_connections: number
        /** How many it has had. */
        migrations: number
        latest_migration: string | null
      }
    }
  }

  /** List your signal bots */
  'GET /api/v2/bot/signal/cex?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<SignalBotInList>
  }

  /** Create a signal bot */
  'POST /api/v2/bot/signal/cex {body}': {
    arguments: [
      body: {
        name?: string | undefined
        /** `paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded. */
        mode?: 'paper' | 'live' | undefined
        webhook_id?: number | null | undefined
        /** An enabled `CEX` entry of the catalogue, or the simulated market. Without it, the exchange of `connection_id`. */
        exchange_id?: number | undefined
        connection_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
        symbol?: string | null | undefined
        /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
        on_limit?: 'stop' | 'close' | undefined
        /** If `true`, the size of a signal counts only with `forceSize`. */
        strict_amount?: boolean | undefined
        /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
        max_drawdown?: string | null | undefined
        /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
        max_open_positions?: number | null | undefined
        /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
        cooldown_seconds?: number | null | undefined
        /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
        max_signal_age_seconds?: number | null | undefined
        /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
        direction?: 'both' | 'long' | 'short' | undefined
        /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
        leverage?: number | null | undefined
        /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
        margin_mode?: 'cross' | 'isolated' | null | undefined
        /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
        require_stop?: boolean | undefined
        /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
        unprotected_seconds?: number | undefined
        /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
        on_unprotected?: 'close' | 'watch' | undefined
        /** For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on. */
        funding?: 'off' | 'exchange' | undefined
        /** For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency. */
        latency_ms?: number | undefined
        /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
        delay_seconds?: number | undefined
        /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
        protection?:
          | {
              /** Where the position is closed with a loss: a price, or a distance from the entry price. */
              stop_loss?: string | number | null | undefined
              /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
              take_profit?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                    at: string | number | null
                    /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
                    part?: string | number | undefined
                  }[]
                | string
                | number
                | null
                | undefined
              /** The stop follows the best price. */
              trailing?:
                | {
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                    by?: string | number | null | undefined
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                    from?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                    step?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The stop moves to the entry price. */
              break_even?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                    after?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                    plus?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The position is closed when it is this old, at whatever price; `null`: never. */
              exit_after_seconds?: number | null | undefined
            }
          | null
          | undefined
        /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
        max_stop_distance?: string | null | undefined
        /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
        entry?:
          | {
              /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
              type?: 'market' | 'limit' | 'post_only' | undefined
              /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
              offset?: string | number | null | undefined
              /** How long the order rests. From 1 to 86400; the default is 300. */
              timeout_seconds?: number | null | undefined
              /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. The default is `cancel`. */
              on_timeout?: 'cancel' | 'market' | 'chase' | null | undefined
              /** With `chase`: how many new limit orders there are at most; `null` otherwise. From 1 to 100; the default is 3. */
              chases?: number | null | undefined
              /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
              max_slippage?: string | number | null | undefined
            }
          | null
          | undefined
        /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
        amount_unit?: 'quote' | 'base' | 'equity_percent' | 'risk_percent' | undefined
        /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
        size_unit?: 'quote' | 'base' | null | undefined
        /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
        amount_currency?: string | undefined
        /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
        amount_rate?: string | null | undefined
        /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
        amount?: string | number | undefined
        /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
        fee_rate?: string | number | undefined
        /** For paper bots: the slippage of each order, as a fraction of the current price. */
        slippage_rate?: string | number | undefined
        /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
        spread_rate?: string | number | undefined
        /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
        start_balance?: string | number | null | undefined
        /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
        max_position?: string | number | null | undefined
        /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
        max_daily_loss?: string | number | null | undefined
        /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
        size_step?: string | number | null | undefined
        /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
        min_size?: string | number | null | undefined
        /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
        min_notional?: string | number | null | undefined
        /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
        maintenance?: string | number | null | undefined
        /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
        participation?: string | number | null | undefined
      },
    ]
    answer: {
      id: number
      type: 'signal-cex'
      status: 'ACTIVE' | 'INACTIVE'
      name: string
      /** `paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded. */
      mode: 'paper' | 'live'
      webhook_id: number | null
      exchange_id: number
      connection_id: number | null
      folder_id: number | null
      /** Whether a live bot trades with a demo account, without real money. */
      demo: boolean
      /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
      on_limit: 'stop' | 'close'
      /** If `true`, the size of a signal counts only with `forceSize`. */
      strict_amount: boolean
      /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
      max_drawdown: string | null
      /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
      max_open_positions: number | null
      /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
      cooldown_seconds: number | null
      /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
      max_signal_age_seconds: number | null
      /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
      direction: 'both' | 'long' | 'short'
      /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
      leverage: number | null
      /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
      margin_mode: 'cross' | 'isolated' | null
      /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
      require_stop: boolean
      /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
      unprotected_seconds: number
      /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
      on_unprotected: 'close' | 'watch'
      /** For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on. */
      funding: 'off' | 'exchange'
      /** For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency. */
      latency_ms: number
      /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
      delay_seconds: number
      /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
      protection: {
        /** Where the position is closed with a loss: a price, or a distance from the entry price. */
        stop_loss: string | null
        /** At most 8 targets, the nearest first. Each closes a part of the position. */
        take_profit: {
          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
          at: string
          /** A fraction of the position as it was opened. All parts together are at most 1. */
          part: string
        }[]
        /** The stop follows the best price. */
        trailing: {
          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
          by: string
          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
          from: string | null
          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
          step: string | null
        } | null
        /** The stop moves to the entry price. */
        break_even: {
          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
          after: string
          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
          plus: string | null
        } | null
        /** The position is closed when it is this old, at whatever price; `null`: never. */
        exit_after_seconds: number | null
      } | null
      /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
      max_stop_distance: string | null
      /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
      entry: {
        /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
        type: 'limit' | 'post_only'
        /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
        offset: string | null
        /** How long the order rests. */
        timeout_seconds: number
        /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
        on_timeout: 'cancel' | 'market' | 'chase'
        /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
        chases: number | null
        /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
        max_slippage: string | null
      } | null
      /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
      amount_unit: 'quote' | 'base' | 'equity_percent' | 'risk_percent'
      /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
      size_unit: 'quote' | 'base' | null
      /** The currency of `amount`, such as `USDT` or `BTC`, or `%`; `null` if it is the base currency and the spelling of `symbol` does not show it. */
      amount_in: string | null
      /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
      amount_currency: string
      /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
      amount_rate: string | null
      /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
      amount: string
      /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
      fee_rate: string
      /** For paper bots: the slippage of each order, as a fraction of the current price. */
      slippage_rate: string
      /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
      spread_rate: string
      /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
      start_balance: string | null
      /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
      max_position: string | null
      /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
      max_daily_loss: string | null
      /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
      size_step: string | null
      /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
      min_size: string | null
      /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
      min_notional: string | null
      /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
      maintenance: string | null
      /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
      participation: string | null
      limit_reached_at: string | null
      highest_equity: string | null
      drawdown_reached_at: string | null
      drawdown_equity: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      balance: string | null
      account_equity: {
        amount: string
        currency: string
        /** ISO 8601, UTC. */
        at: string
      } | null
      equity: string | null
      /** The open positions. */
      positions: Position[]
      /** What you may not expect: with a connection and no `mode`, it trades on paper. */
      note?: string | undefined
    }
  }

  /** Count your signal bots */
  'GET /api/v2/bot/signal/cex/total': { arguments: []; answer: { total: number } }

  /** Duplicate a signal bot */
  'POST /api/v2/bot/signal/cex/duplicate {body}': { arguments: [body: { id: number }]; answer: SignalBot }

  /** Read a signal bot */
  'GET /api/v2/bot/signal/cex/{id}': { arguments: [id: number]; answer: SignalBot }

  /** Change a signal bot */
  'PUT /api/v2/bot/signal/cex/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        /** `paper` simulates orders at current prices; `live` sends them to the exchange. Fixed once the bot has traded. */
        mode?: 'paper' | 'live' | undefined
        webhook_id?: number | null | undefined
        /** An enabled `CEX` entry of the catalogue, or the simulated market. Without it, the exchange of `connection_id`. */
        exchange_id?: number | undefined
        connection_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
        symbol?: string | null | undefined
        /** When the loss reaches `max_daily_loss`, the bot opens nothing more (`stop`), or it also closes its positions (`close`). */
        on_limit?: 'stop' | 'close' | undefined
        /** If `true`, the size of a signal counts only with `forceSize`. */
        strict_amount?: boolean | undefined
        /** How far the equity of the bot may fall below its highest, in percent of that, such as `20%`; `null`: no limit. Then the bot closes all its positions, and opens nothing until you reset it. */
        max_drawdown?: string | null | undefined
        /** How many positions the bot may have at the same time, in different symbols; `null`: no limit. A remainder that no order can close does not count. */
        max_open_positions?: number | null | undefined
        /** For this long after a loss with a symbol, the bot opens nothing with that symbol; `null`: no cool-down. */
        cooldown_seconds?: number | null | undefined
        /** The bot opens nothing on a signal that is older than this when its turn comes; `null`: no limit. A delay does not count. */
        max_signal_age_seconds?: number | null | undefined
        /** Which positions the bot opens: `long` ones, `short` ones or `both`. With the others, it opens nothing, but it closes any position. */
        direction?: 'both' | 'long' | 'short' | undefined
        /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
        leverage?: number | null | undefined
        /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
        margin_mode?: 'cross' | 'isolated' | null | undefined
        /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
        require_stop?: boolean | undefined
        /** Of a live position whose stop the exchange keeps refusing: for so many seconds, the bot only tries again, and watches the price. Then `on_unprotected` decides. */
        unprotected_seconds?: number | undefined
        /** `close`: the bot then closes the position. `watch`: it goes on trying and watching. It counts only where the service keeps stops at the exchange. */
        on_unprotected?: 'close' | 'watch' | undefined
        /** For paper bots on futures: what positions in perpetuals pay and receive at the moments of funding. `off`: nothing. `exchange`: by the rates of the exchange, which the service reads. A change applies from then on. */
        funding?: 'off' | 'exchange' | undefined
        /** For paper bots: how many milliseconds pass from a signal to its order, after the delay. The order gets the price that holds then. Stops, targets and closes that you ask for have no latency. */
        latency_ms?: number | undefined
        /** The bot waits this long after a signal before it follows it, also to close. It does not delay closes that you ask for. A change applies to signals that wait already. */
        delay_seconds?: number | undefined
        /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
        protection?:
          | {
              /** Where the position is closed with a loss: a price, or a distance from the entry price. */
              stop_loss?: string | number | null | undefined
              /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
              take_profit?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                    at: string | number | null
                    /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
                    part?: string | number | undefined
                  }[]
                | string
                | number
                | null
                | undefined
              /** The stop follows the best price. */
              trailing?:
                | {
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                    by?: string | number | null | undefined
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                    from?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                    step?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The stop moves to the entry price. */
              break_even?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                    after?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                    plus?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The position is closed when it is this old, at whatever price; `null`: never. */
              exit_after_seconds?: number | null | undefined
            }
          | null
          | undefined
        /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
        max_stop_distance?: string | null | undefined
        /** How the bot opens positions, unless a signal says otherwise; `null`: with market orders. An order with a limit rests until its price is reached. A live bot can have one only where the service places such orders. A change applies also to orders that rest, except for their limit. */
        entry?:
          | {
              /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
              type?: 'market' | 'limit' | 'post_only' | undefined
              /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
              offset?: string | number | null | undefined
              /** How long the order rests. From 1 to 86400; the default is 300. */
              timeout_seconds?: number | null | undefined
              /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. The default is `cancel`. */
              on_timeout?: 'cancel' | 'market' | 'chase' | null | undefined
              /** With `chase`: how many new limit orders there are at most; `null` otherwise. From 1 to 100; the default is 3. */
              chases?: number | null | undefined
              /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
              max_slippage?: string | number | null | undefined
            }
          | null
          | undefined
        /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
        amount_unit?: 'quote' | 'base' | 'equity_percent' | 'risk_percent' | undefined
        /** What the `size` of a signal that opens is in: `quote` or `base`. Sizes that close are always in base currency. `null`: in quote currency, if `amount_unit` is `quote`; otherwise the bot refuses such signals, because it does not guess. */
        size_unit?: 'quote' | 'base' | null | undefined
        /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
        amount_currency?: string | undefined
        /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
        amount_rate?: string | null | undefined
        /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
        amount?: string | number | undefined
        /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
        fee_rate?: string | number | undefined
        /** For paper bots: the slippage of each order, as a fraction of the current price. */
        slippage_rate?: string | number | undefined
        /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
        spread_rate?: string | number | undefined
        /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
        start_balance?: string | number | null | undefined
        /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
        max_position?: string | number | null | undefined
        /** After a loss of this size, in `amount_currency`, the bot opens nothing more on that UTC day; `null`: no limit. It counts what the bot realised on that day, and what its open positions have lost. */
        max_daily_loss?: string | number | null | undefined
        /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
        size_step?: string | number | null | undefined
        /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
        min_size?: string | number | null | undefined
        /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
        min_notional?: string | number | null | undefined
        /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
        maintenance?: string | number | null | undefined
        /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
        participation?: string | number | null | undefined
      },
    ]
    answer: SignalBot
  }

  /** Delete a signal bot */
  'DELETE /api/v2/bot/signal/cex/{id}?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Deletes the bot even if it holds positions. The service does not close them: close them at the exchange yourself. */
        abandon_positions?: boolean | undefined
      },
    ]
    answer: { message: 'Success' }
  }

  /** Activate or deactivate a signal bot */
  'PUT /api/v2/bot/signal/cex/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success'; note?: string | undefined }
  }

  /** List your folders of signal bots */
  'GET /api/v2/bot/signal/cex/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of signal bots */
  'POST /api/v2/bot/signal/cex/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your signal bots that are in no folder */
  'GET /api/v2/bot/signal/cex/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SignalBotInList>
  }

  /** Read a folder with its subfolders and signal bots */
  'GET /api/v2/bot/signal/cex/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      bots: SignalBotInList[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/bot/signal/cex/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/bot/signal/cex/folder/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Close the positions of a signal bot */
  'POST /api/v2/bot/signal/cex/{id}/close {body}': {
    arguments: [
      id: number,
      body: {
        /** In any spelling. Default: all symbols. */
        symbol?: string | undefined
      },
    ]
    answer: {
      message: 'Success'
      /** The closes, one for each symbol. */
      signals: {
        /** The id in the bot's list of signals. */
        id: number
        bot_id: number
        signal_id: number
        symbol: string
        status:
          | 'DELAYED'
          | 'QUEUED'
          | 'WORKING'
          | 'CLOSING'
          | 'WAITING'
          | 'DONE'
          | 'IGNORED'
          | 'REFUSED'
          | 'FAILED'
      }[]
    }
  }

  /** Let a close that waits proceed */
  'POST /api/v2/bot/signal/cex/{id}/signals/{signal_id}/proceed': {
    arguments: [id: number, signal_id: number]
    answer: {
      /** The id in the bot's list of signals. */
      id: number
      bot_id: number
      signal_id: number
      symbol: string
      status:
        | 'DELAYED'
        | 'QUEUED'
        | 'WORKING'
        | 'CLOSING'
        | 'WAITING'
        | 'DONE'
        | 'IGNORED'
        | 'REFUSED'
        | 'FAILED'
    }
  }

  /** Call off a close that waits or is tried again, or a delayed signal */
  'POST /api/v2/bot/signal/cex/{id}/signals/{signal_id}/drop': {
    arguments: [id: number, signal_id: number]
    answer: {
      /** The id in the bot's list of signals. */
      id: number
      bot_id: number
      signal_id: number
      symbol: string
      status:
        | 'DELAYED'
        | 'QUEUED'
        | 'WORKING'
        | 'CLOSING'
        | 'WAITING'
        | 'DONE'
        | 'IGNORED'
        | 'REFUSED'
        | 'FAILED'
    }
  }

  /** Switch off all your bots and close all their positions */
  'POST /api/v2/trading/panic': {
    arguments: []
    answer: {
      message: 'Success'
      /** The bots that were switched off, or whose positions are being closed. */
      bots: { id: number; name: string; symbols: string[] }[]
      /** The closes, one for each bot and symbol. */
      signals: {
        /** The id in the bot's list of signals. */
        id: number
        bot_id: number
        signal_id: number
        symbol: string
        status:
          | 'DELAYED'
          | 'QUEUED'
          | 'WORKING'
          | 'CLOSING'
          | 'WAITING'
          | 'DONE'
          | 'IGNORED'
          | 'REFUSED'
          | 'FAILED'
      }[]
    }
  }

  /** Protect an open position */
  'PUT /api/v2/position/{bot_id}/protection {body}': {
    arguments: [
      bot_id: number,
      body: {
        /** Of the position, in any spelling. */
        symbol: string
        /** Replaces the whole protection: a field that is absent is `null`. `null`: nothing. */
        protection: {
          /** Where the position is closed with a loss: a price, or a distance from the entry price. */
          stop_loss?: string | number | null | undefined
          /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
          take_profit?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                at: string | number | null
                /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
                part?: string | number | undefined
              }[]
            | string
            | number
            | null
            | undefined
          /** The stop follows the best price. */
          trailing?:
            | {
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                by?: string | number | null | undefined
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                from?: string | number | null | undefined
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                step?: string | number | null | undefined
              }
            | null
            | undefined
          /** The stop moves to the entry price. */
          break_even?:
            | {
                /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                after?: string | number | null | undefined
                /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                plus?: string | number | null | undefined
              }
            | null
            | undefined
          /** The position is closed when it is this old, at whatever price; `null`: never. */
          exit_after_seconds?: number | null | undefined
        } | null
      },
    ]
    answer: { message: 'Success' }
  }

  /** Let a signal bot open again after its drawdown */
  'POST /api/v2/bot/signal/cex/{id}/drawdown/reset': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List the signal bots that follow a bot webhook */
  'GET /api/v2/webhook/bot/{id}/bots?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SignalBotInList>
  }

  /** List the signal bots that have an exchange connection */
  'GET /api/v2/api/exchange/{id}/bots?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<SignalBotInList>
  }

  /** List your prediction bots */
  'GET /api/v2/bot/signal/prediction?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Create a prediction bot */
  'POST /api/v2/bot/signal/prediction {body}': {
    arguments: [
      body: {
        name?: string | undefined
        webhook_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** A prediction market of the catalogue, such as 15: Polymarket. Without it, that of `connection_id`. */
        exchange_id?: number | undefined
        connection_id?: number | null | undefined
        slug?: string | null | undefined
        /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
        amount?: string | number | undefined
        /** If `true`, the size of a signal is to count only with `forceSize`. */
        strict_amount?: boolean | undefined
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds?: number | undefined
      },
    ]
    answer: {
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Count your prediction bots */
  'GET /api/v2/bot/signal/prediction/total': { arguments: []; answer: { total: number } }

  /** Read a prediction bot */
  'GET /api/v2/bot/signal/prediction/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Change a prediction bot */
  'PUT /api/v2/bot/signal/prediction/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        webhook_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** A prediction market of the catalogue, such as 15: Polymarket. Without it, that of `connection_id`. */
        exchange_id?: number | undefined
        connection_id?: number | null | undefined
        slug?: string | null | undefined
        /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
        amount?: string | number | undefined
        /** If `true`, the size of a signal is to count only with `forceSize`. */
        strict_amount?: boolean | undefined
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds?: number | undefined
      },
    ]
    answer: {
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Delete a prediction bot */
  'DELETE /api/v2/bot/signal/prediction/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Switch a prediction bot off */
  'PUT /api/v2/bot/signal/prediction/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success' }
  }

  /** Duplicate a prediction bot */
  'POST /api/v2/bot/signal/prediction/duplicate {body}': {
    arguments: [body: { id: number }]
    answer: {
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** List your DEX bots */
  'GET /api/v2/bot/signal/dex?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only items in this folder itself, not in its subfolders. */
        folder_id?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Create a DEX bot */
  'POST /api/v2/bot/signal/dex {body}': {
    arguments: [
      body: {
        name?: string | undefined
        webhook_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** A DEX of the catalogue, which is on one chain: see `/exchange/dex/{chain}`. */
        exchange_id?: number | undefined
        address?: string | null | undefined
        /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
        symbol?: string | null | undefined
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds?: number | undefined
      },
    ]
    answer: {
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Count your DEX bots */
  'GET /api/v2/bot/signal/dex/total': { arguments: []; answer: { total: number } }

  /** Read a DEX bot */
  'GET /api/v2/bot/signal/dex/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Change a DEX bot */
  'PUT /api/v2/bot/signal/dex/{id} {body}': {
    arguments: [
      id: number,
      body: {
        name?: string | undefined
        webhook_id?: number | null | undefined
        folder_id?: number | null | undefined
        /** A DEX of the catalogue, which is on one chain: see `/exchange/dex/{chain}`. */
        exchange_id?: number | undefined
        address?: string | null | undefined
        /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
        symbol?: string | null | undefined
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds?: number | undefined
      },
    ]
    answer: {
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** Delete a DEX bot */
  'DELETE /api/v2/bot/signal/dex/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Switch a DEX bot off */
  'PUT /api/v2/bot/signal/dex/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: { message: 'Success' }
  }

  /** Read the DEX bot at an address */
  'GET /api/v2/bot/signal/dex/{chain_id}/{address}': {
    arguments: [chain_id: string, address: string]
    answer: {
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }
  }

  /** List your folders of prediction bots */
  'GET /api/v2/bot/signal/prediction/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of prediction bots */
  'POST /api/v2/bot/signal/prediction/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your prediction bots that are in no folder */
  'GET /api/v2/bot/signal/prediction/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Read a folder with its subfolders and prediction bots */
  'GET /api/v2/bot/signal/prediction/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      bots: {
        id: number
        type: 'signal-prediction'
        /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
        status: 'INACTIVE'
        name: string
        webhook_id: number | null
        folder_id: number | null
        exchange_id: number
        connection_id: number | null
        slug: string | null
        /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
        amount: string
        /** If `true`, the size of a signal is to count only with `forceSize`. */
        strict_amount: boolean
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds: number
        /** ISO 8601, UTC. */
        created_at: string
        /** ISO 8601, UTC. */
        updated_at: string
      }[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/bot/signal/prediction/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/bot/signal/prediction/folder/{id}': {
    arguments: [id: number]
    answer: { message: 'Success' }
  }

  /** List your folders of DEX bots */
  'GET /api/v2/bot/signal/dex/folder?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<Folder>
  }

  /** Create a folder of DEX bots */
  'POST /api/v2/bot/signal/dex/folder {body}': {
    arguments: [body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** List your DEX bots that are in no folder */
  'GET /api/v2/bot/signal/dex/folder/root?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** Read a folder with its subfolders and DEX bots */
  'GET /api/v2/bot/signal/dex/folder/{id}': {
    arguments: [id: number]
    answer: {
      id: number
      name: string
      parent_id: number | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      folders: Folder[]
      bots: {
        id: number
        type: 'signal-dex'
        /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
        status: 'INACTIVE'
        name: string
        webhook_id: number | null
        folder_id: number | null
        exchange_id: number
        /** The chain of its exchange. */
        chain_id: string
        address: string | null
        /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
        symbol: string | null
        /** How long the bot is to wait after a signal before it follows it. */
        delay_seconds: number
        /** ISO 8601, UTC. */
        created_at: string
        /** ISO 8601, UTC. */
        updated_at: string
      }[]
    }
  }

  /** Rename a folder or move it into another; only the given fields change */
  'PUT /api/v2/bot/signal/dex/folder/{id} {body}': {
    arguments: [id: number, body: { name?: string | undefined; parent_id?: number | null | undefined }]
    answer: Folder
  }

  /** Delete an empty folder */
  'DELETE /api/v2/bot/signal/dex/folder/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** List the prediction bots of a bot webhook */
  'GET /api/v2/webhook/bot/{id}/prediction-bots?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** List the DEX bots of a bot webhook */
  'GET /api/v2/webhook/bot/{id}/dex-bots?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-dex'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      /** The chain of its exchange. */
      chain_id: string
      address: string | null
      /** The symbols that the bot is to trade, separated by commas; `null`: every symbol that its webhook receives. */
      symbol: string | null
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** List the bots that have a prediction connection */
  'GET /api/v2/api/prediction/{id}/bots?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      type: 'signal-prediction'
      /** The service cannot trade there yet, so the bot is `INACTIVE`: you can prepare it, and no signal reaches it. */
      status: 'INACTIVE'
      name: string
      webhook_id: number | null
      folder_id: number | null
      exchange_id: number
      connection_id: number | null
      slug: string | null
      /** How much an opening order is to be for when the signal has no size that counts, in the currency of the market. */
      amount: string
      /** If `true`, the size of a signal is to count only with `forceSize`. */
      strict_amount: boolean
      /** How long the bot is to wait after a signal before it follows it. */
      delay_seconds: number
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
    }>
  }

  /** List the signals of a signal bot with their results */
  'GET /api/v2/bot/signal/cex/{id}/signals?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        status?:
          | 'DELAYED'
          | 'QUEUED'
          | 'WORKING'
          | 'CLOSING'
          | 'WAITING'
          | 'DONE'
          | 'IGNORED'
          | 'REFUSED'
          | 'FAILED'
          | undefined
      },
    ]
    answer: List<BotSignal>
  }

  /** Read the balance and equity of a signal bot over time */
  'GET /api/v2/bot/signal/cex/{id}/equity?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only points from this time or later. */
        since?: string | undefined
        /** Only points from this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: {
      /** ISO 8601, UTC. */
      at: string
      /** The start balance plus all realised profit, in quote currency. */
      balance: string
      /** The unrealised profit of all open positions, in quote currency. */
      unrealised: string
      /** `balance` plus `unrealised`. */
      equity: string
    }[]
  }

  /** List what your bots did with their signals, newest first */
  'GET /api/v2/bot-signal?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        /** Only events from this time or later. */
        since?: string | undefined
        /** Only events from this time or earlier. */
        until?: string | undefined
        status?:
          | 'DELAYED'
          | 'QUEUED'
          | 'WORKING'
          | 'CLOSING'
          | 'WAITING'
          | 'DONE'
          | 'IGNORED'
          | 'REFUSED'
          | 'FAILED'
          | undefined
        bot_id?: number | undefined
        /** Only signals of this strategy of yours. */
        strategy_id?: number | undefined
        /** Only signals of this bot webhook. */
        webhook_id?: number | undefined
        /** Only signals of runs of yours that this triggered. */
        trigger?: 'schedule' | 'tick' | 'manual' | 'webhook' | 'replay' | undefined
        /** Only events with this text in the symbol or the reason. Ignores case. `%`, `_` and `*` mean themselves. */
        q?: string | undefined
      },
    ]
    answer: List<BotSignal>
  }

  /** List the trades of a signal bot */
  'GET /api/v2/bot/signal/cex/{id}/trades?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only trades before the one with this id. */
        before?: number | undefined
        /** Only trades after the one with this id: without `before`, those next to it. */
        after?: number | undefined
      },
    ]
    answer: {
      items: {
        /** The id of its first fill. */
        id: number
        bot_id: number
        /** Whether the bot trades with a demo account, without real money; `null` if it is deleted. */
        demo: boolean | null
        symbol: string
        /** The quote currency of the symbol, which all amounts of money are in. */
        currency: string | null
        side: 'long' | 'short'
        status: 'open' | 'closed'
        /** Everything that entered, in base currency. */
        quantity: string
        /** What is still held. If the trade is closed, it is dust, which the next trade takes over. */
        open_quantity: string
        /** The average price of everything that entered; `null` if nothing did. */
        entry_price: string | null
        /** The average price of everything that left; `null` if nothing did. */
        exit_price: string | null
        /** ISO 8601, UTC. */
        opened_at: string
        closed_at: string | null
        /** From `opened_at` to `closed_at`; `null` while it is open. */
        duration_seconds: number | null
        /** What the trade has realised so far, before fees and funding. */
        profit_before_costs: string
        /** In quote currency. */
        fees: string
        /** Fees in assets without a known price, by asset. `fees` and `realised` do not include them. */
        uncounted_fees: Record<string, string>
        /** Its funding payments. Negative if the bot paid. */
        funding: string
        /** What the trade has realised so far, after fees and with funding. */
        realised: string
        /** Of an open trade: the current price; `null` if there is none. */
        price: string | null
        /** Of an open trade: what closing at `price` would realise, before fees. */
        unrealised: string | null
        /** The orders, and fills without an order, that opened it and added to it: the first 20. */
        entries: {
          /** As for fills. `order`: an order of the bot. */
          kind: 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'
          order_id: number | null
          /** The signal that the bot placed the order for. */
          signal_id: number | null
          /** What closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks, and for fills without an order. */
          origin:
            | 'owner'
            | 'limit'
            | 'stop_loss'
            | 'take_profit'
            | 'trailing'
            | 'break_even'
            | 'time'
            | 'unprotected'
            | null
          /** ISO 8601, UTC. */
          at: string
        }[]
        entry_count: number
        /** The orders, and fills without an order, that reduced and closed it: the last 20. */
        exits: {
          /** As for fills. `order`: an order of the bot. */
          kind: 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'
          order_id: number | null
          /** The signal that the bot placed the order for. */
          signal_id: number | null
          /** What closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks, and for fills without an order. */
          origin:
            | 'owner'
            | 'limit'
            | 'stop_loss'
            | 'take_profit'
            | 'trailing'
            | 'break_even'
            | 'time'
            | 'unprotected'
            | null
          /** ISO 8601, UTC. */
          at: string
        }[]
        exit_count: number
        /** `origin` of the exit that closed the trade; null while it is open. */
        origin:
          | 'owner'
          | 'limit'
          | 'stop_loss'
          | 'take_profit'
          | 'trailing'
          | 'break_even'
          | 'time'
          | 'unprotected'
          | null
        /** For how long its position had no stop at the exchange, although the service keeps stops there; `null` where it only watches. */
        unprotected_seconds: number | null
      }[]
      limit: number
      next: number | null
    }
  }

  /** List the trades of all your bots */
  'GET /api/v2/trade?{query}': {
    arguments: [
      query?: {
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only trades before the one with this id. */
        before?: number | undefined
        /** Only trades after the one with this id: without `before`, those next to it. */
        after?: number | undefined
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Only trades that were opened at this time or later. */
        since?: string | undefined
        /** Only trades that were opened at this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: {
      items: {
        /** The id of its first fill. */
        id: number
        bot_id: number
        /** Whether the bot trades with a demo account, without real money; `null` if it is deleted. */
        demo: boolean | null
        symbol: string
        /** The quote currency of the symbol, which all amounts of money are in. */
        currency: string | null
        side: 'long' | 'short'
        status: 'open' | 'closed'
        /** Everything that entered, in base currency. */
        quantity: string
        /** What is still held. If the trade is closed, it is dust, which the next trade takes over. */
        open_quantity: string
        /** The average price of everything that entered; `null` if nothing did. */
        entry_price: string | null
        /** The average price of everything that left; `null` if nothing did. */
        exit_price: string | null
        /** ISO 8601, UTC. */
        opened_at: string
        closed_at: string | null
        /** From `opened_at` to `closed_at`; `null` while it is open. */
        duration_seconds: number | null
        /** What the trade has realised so far, before fees and funding. */
        profit_before_costs: string
        /** In quote currency. */
        fees: string
        /** Fees in assets without a known price, by asset. `fees` and `realised` do not include them. */
        uncounted_fees: Record<string, string>
        /** Its funding payments. Negative if the bot paid. */
        funding: string
        /** What the trade has realised so far, after fees and with funding. */
        realised: string
        /** Of an open trade: the current price; `null` if there is none. */
        price: string | null
        /** Of an open trade: what closing at `price` would realise, before fees. */
        unrealised: string | null
        /** The orders, and fills without an order, that opened it and added to it: the first 20. */
        entries: {
          /** As for fills. `order`: an order of the bot. */
          kind: 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'
          order_id: number | null
          /** The signal that the bot placed the order for. */
          signal_id: number | null
          /** What closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks, and for fills without an order. */
          origin:
            | 'owner'
            | 'limit'
            | 'stop_loss'
            | 'take_profit'
            | 'trailing'
            | 'break_even'
            | 'time'
            | 'unprotected'
            | null
          /** ISO 8601, UTC. */
          at: string
        }[]
        entry_count: number
        /** The orders, and fills without an order, that reduced and closed it: the last 20. */
        exits: {
          /** As for fills. `order`: an order of the bot. */
          kind: 'order' | 'external' | 'liquidation' | 'adl' | 'adopted'
          order_id: number | null
          /** The signal that the bot placed the order for. */
          signal_id: number | null
          /** What closed with it: the owner of the bot, its limits, or the protection of the position, with the reason; null for signals of strategies and webhooks, and for fills without an order. */
          origin:
            | 'owner'
            | 'limit'
            | 'stop_loss'
            | 'take_profit'
            | 'trailing'
            | 'break_even'
            | 'time'
            | 'unprotected'
            | null
          /** ISO 8601, UTC. */
          at: string
        }[]
        exit_count: number
        /** `origin` of the exit that closed the trade; null while it is open. */
        origin:
          | 'owner'
          | 'limit'
          | 'stop_loss'
          | 'take_profit'
          | 'trailing'
          | 'break_even'
          | 'time'
          | 'unprotected'
          | null
        /** For how long its position had no stop at the exchange, although the service keeps stops there; `null` where it only watches. */
        unprotected_seconds: number | null
      }[]
      limit: number
      next: number | null
    }
  }

  /** Export the orders of your bots */
  'GET /api/v2/order.csv?{query}': {
    arguments: [
      query?: {
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only records from this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: string
  }

  /** Export the fills of your bots */
  'GET /api/v2/fill.csv?{query}': {
    arguments: [
      query?: {
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only records from this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: string
  }

  /** Export the funding payments of your bots */
  'GET /api/v2/payment.csv?{query}': {
    arguments: [
      query?: {
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only records from this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: string
  }

  /** Export the trades of your bots */
  'GET /api/v2/trade.csv?{query}': {
    arguments: [
      query?: {
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only records from this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: string
  }

  /** Export the open positions of your bots */
  'GET /api/v2/position.csv?{query}': {
    arguments: [
      query?: {
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
      },
    ]
    answer: string
  }

  /** Export the trades of a signal bot */
  'GET /api/v2/bot/signal/cex/{id}/trades.csv': { arguments: [id: number]; answer: string }

  /** Read the statistics of a signal bot */
  'GET /api/v2/bot/signal/cex/{id}/stats?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Only what happened at this time or later. */
        since?: string | undefined
        /** Only what happened at this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: {
      bot_id: number
      mode: 'paper' | 'live'
      demo: boolean
      since: string | null
      until: string | null
      /** The equity at the start of the period; `null` while the start balance is unknown. */
      start_equity: string | null
      /** The equity at the end of the period, or now; `null` if it is unknown, or a current price is. */
      end_equity: string | null
      /** The change from `start_equity` to `end_equity`; `null` if one is unknown, or the first is not above zero. */
      return_percent: string | null
      max_drawdown: {
        amount: string
        /** Of the peak; `null` if the peak is not above zero. */
        percent: string | null
        peak_at: string
        lowest_at: string
      } | null
      steepest_drawdown: {
        amount: string
        /** Of the peak; `null` if the peak is not above zero. */
        percent: string | null
        peak_at: string
        lowest_at: string
      } | null
      /** For how much of the time since the first fill at least one position was open. */
      exposure_percent: string | null
      /** All amounts of money are in this currency. `null` if the symbols do not show it. */
      currency: string | null
      /** Realised profit and loss, after fees and with funding. */
      realised: string
      /** In quote currency. */
      fees: string
      /** Negative if the bots paid. */
      funding: string
      /** `realised` before fees and funding. */
      profit_before_costs: string
      /** Fees of the closed trades in assets without a known price. No other figure includes them. */
      uncounted_fees: Record<string, string>
      /** Profits of trades are after all costs. */
      trades: {
        /** Trades that ended in the period. The figures below are about these. */
        closed: number
        /** Trades that were open at the end of the period. */
        open: number
        won: number
        lost: number
        even: number
        /** `null` without trades. */
        win_rate_percent: string | null
        /** What was won for each unit that was lost; `null` if nothing was lost. */
        profit_factor: string | null
        /** The average profit of a trade; `null` without trades. */
        expectancy: string | null
        /** `null` if none won. */
        average_win: string | null
        /** `null` if none lost. */
        average_loss: string | null
        /** `null` if none won. */
        largest_win: string | null
        /** `null` if none lost. */
        largest_loss: string | null
        /** The most trades in a row that lost, in the order of their ends. */
        longest_losing_streak: number
        average_duration_seconds: number | null
      }
      /** What each day (UTC) realised, the earliest first, without days on which nothing was. */
      days: {
        day: string
        /** Realised profit and loss, after fees and with funding. */
        realised: string
        /** In quote currency. */
        fees: string
        /** Negative if the bots paid. */
        funding: string
      }[]
      /** The same for each month. */
      months: {
        /** Such as `2026-03`. */
        month: string
        /** Realised profit and loss, after fees and with funding. */
        realised: string
        /** In quote currency. */
        fees: string
        /** Negative if the bots paid. */
        funding: string
      }[]
      /** Quote currencies of other fills of the bot. No figure includes these fills. */
      other_currencies: string[]
      /** What holding the traded symbols would have earned, by the prices of the fills, without costs. */
      holding: {
        /** For equal parts in each symbol; `null` if the change of one is unknown. */
        change_percent: string | null
        /** That change of `start_equity`; `null` if it is unknown or not above zero. */
        profit: string | null
        /** At most 100. */
        symbols: {
          symbol: string
          /** The price of the first fill in the period. */
          from_price: string
          from_at: string
          /** The price of the last fill in the period. */
          to_price: string
          to_at: string
          /** `null` if there is only one fill. */
          change_percent: string | null
        }[]
        symbol_count: number
      }
    }
  }

  /** Read the statistics of all your bots, or of a strategy */
  'GET /api/v2/stats?{query}': {
    arguments: [
      query?: {
        /** Only what happened at this time or later. */
        since?: string | undefined
        /** Only what happened at this time or earlier. */
        until?: string | undefined
        /** Only trades that a signal of this strategy opened. */
        strategy_id?: number | undefined
      },
    ]
    answer: {
      since: string | null
      until: string | null
      strategy_id: number | null
      /** One for each mode and currency. Nothing adds up different ones. */
      groups: {
        /** `null`: bots that were deleted, whose mode is unknown. */
        mode: 'paper' | 'live' | null
        demo: boolean | null
        /** How many bots the figures are from. */
        bots: number
        /** All amounts of money are in this currency. `null` if the symbols do not show it. */
        currency: string | null
        /** Realised profit and loss, after fees and with funding. */
        realised: string
        /** In quote currency. */
        fees: string
        /** Negative if the bots paid. */
        funding: string
        /** `realised` before fees and funding. */
        profit_before_costs: string
        /** Fees of the closed trades in assets without a known price. No other figure includes them. */
        uncounted_fees: Record<string, string>
        /** Profits of trades are after all costs. */
        trades: {
          /** Trades that ended in the period. The figures below are about these. */
          closed: number
          /** Trades that were open at the end of the period. */
          open: number
          won: number
          lost: number
          even: number
          /** `null` without trades. */
          win_rate_percent: string | null
          /** What was won for each unit that was lost; `null` if nothing was lost. */
          profit_factor: string | null
          /** The average profit of a trade; `null` without trades. */
          expectancy: string | null
          /** `null` if none won. */
          average_win: string | null
          /** `null` if none lost. */
          average_loss: string | null
          /** `null` if none won. */
          largest_win: string | null
          /** `null` if none lost. */
          largest_loss: string | null
          /** The most trades in a row that lost, in the order of their ends. */
          longest_losing_streak: number
          average_duration_seconds: number | null
        }
        /** What each day (UTC) realised, the earliest first, without days on which nothing was. */
        days: {
          day: string
          /** Realised profit and loss, after fees and with funding. */
          realised: string
          /** In quote currency. */
          fees: string
          /** Negative if the bots paid. */
          funding: string
        }[]
        /** The same for each month. */
        months: {
          /** Such as `2026-03`. */
          month: string
          /** Realised profit and loss, after fees and with funding. */
          realised: string
          /** In quote currency. */
          fees: string
          /** Negative if the bots paid. */
          funding: string
        }[]
      }[]
    }
  }

  /** Read the statistics of each strategy */
  'GET /api/v2/stats/strategy?{query}': {
    arguments: [
      query?: {
        /** Only what happened at this time or later. */
        since?: string | undefined
        /** Only what happened at this time or earlier. */
        until?: string | undefined
      },
    ]
    answer: {
      since: string | null
      until: string | null
      /** Strategies that opened trades, by their ids. */
      strategies: {
        /** `null`: trades that no strategy opened, such as those of signals from outside. */
        strategy_id: number | null
        /** One for each mode and currency. Nothing adds up different ones. */
        groups: {
          /** `null`: bots that were deleted, whose mode is unknown. */
          mode: 'paper' | 'live' | null
          demo: boolean | null
          /** How many bots the figures are from. */
          bots: number
          /** All amounts of money are in this currency. `null` if the symbols do not show it. */
          currency: string | null
          /** Realised profit and loss, after fees and with funding. */
          realised: string
          /** In quote currency. */
          fees: string
          /** Negative if the bots paid. */
          funding: string
          /** `realised` before fees and funding. */
          profit_before_costs: string
          /** Fees of the closed trades in assets without a known price. No other figure includes them. */
          uncounted_fees: Record<string, string>
          /** Profits of trades are after all costs. */
          trades: {
            /** Trades that ended in the period. The figures below are about these. */
            closed: number
            /** Trades that were open at the end of the period. */
            open: number
            won: number
            lost: number
            even: number
            /** `null` without trades. */
            win_rate_percent: string | null
            /** What was won for each unit that was lost; `null` if nothing was lost. */
            profit_factor: string | null
            /** The average profit of a trade; `null` without trades. */
            expectancy: string | null
            /** `null` if none won. */
            average_win: string | null
            /** `null` if none lost. */
            average_loss: string | null
            /** `null` if none won. */
            largest_win: string | null
            /** `null` if none lost. */
            largest_loss: string | null
            /** The most trades in a row that lost, in the order of their ends. */
            longest_losing_streak: number
            average_duration_seconds: number | null
          }
        }[]
      }[]
    }
  }

  /** Read the equity of all your bots */
  'GET /api/v2/equity': {
    arguments: []
    answer: {
      at: string
      /** One for each mode and currency. Nothing adds up different ones. */
      groups: {
        mode: 'paper' | 'live'
        demo: boolean
        /** All amounts are in this currency. */
        currency: string
        bots: number
        /** How many of these bots have no known equity now, because a price or the start balance is unknown, or because their books have several currencies. */
        unknown_bots: number
        /** The sum of the equities that are known; `null` if none is. */
        equity: string | null
        /** Realised since midnight (UTC), after fees and with funding. */
        realised_today: string
      }[]
    }
  }

  /** Read the drawdown of all your bots together */
  'GET /api/v2/equity/drawdown?{query}': {
    arguments: [
      query?: {
        /** The falls from this time on, at most 366 days ago. Without it, from midnight (UTC) 30 days ago. */
        since?: string | undefined
        /** How many points of the curve to return. Without it, none. */
        points?: number | undefined
      },
    ]
    answer: {
      since: string
      /** One for each mode and currency. Nothing adds up different ones. */
      groups: {
        mode: 'paper' | 'live'
        demo: boolean
        /** All amounts are in this currency. */
        currency: string
        /** How many bots are in the sum: those with a known start balance. */
        bots: number
        /** How far the sum is below its last peak now, at `lowest_at`; `null` at a peak. */
        drawdown: {
          amount: string
          /** Of the peak; `null` if the peak is not above zero. */
          percent: string | null
          peak_at: string
          lowest_at: string
        } | null
        max_drawdown: {
          amount: string
          /** Of the peak; `null` if the peak is not above zero. */
          percent: string | null
          peak_at: string
          lowest_at: string
        } | null
        steepest_drawdown: {
          amount: string
          /** Of the peak; `null` if the peak is not above zero. */
          percent: string | null
          peak_at: string
          lowest_at: string
        } | null
        /** The curve of the sum, if `points` asks for it: evenly spaced from `since` until now, the oldest first. An equity holds until the next. */
        points?:
          | {
              at: string
              /** The sum at this time. */
              equity: string
              /** How far the sum was below its highest since the beginning, at the deepest place since the previous point; `0` without any fall. */
              drawdown: string
              /** That, of the highest; `null` if the highest is not above zero. */
              drawdown_percent: string | null
            }[]
          | undefined
      }[]
    }
  }

  /** Preview the size of an opening order */
  'POST /api/v2/bot/signal/cex/size {body}': {
    arguments: [
      body: {
        /** An enabled exchange, or the simulated market. */
        exchange_id: number
        /** The symbols that the bot trades, separated by commas; `null`: every symbol that its webhook receives. */
        symbol?: string | null | undefined
        /** How much an opening order is for when the signal has no size that counts: see `amount_unit` for the currency. */
        amount?: string | number | undefined
        /** What `amount` is in. `quote`: in `amount_currency`, so that 100 buys for 100 USDT. `base`: in the base currency of the symbols, so that 1 buys 1 BTC. Then `symbol` must name symbols of one base currency. `equity_percent`: percent of the equity of the bot, so that 10 buys for a tenth of it, at most for what is free and what `max_position` allows. `risk_percent`: percent of the equity that the order may lose at its stop, with the fees of both orders, so that 1 risks a hundredth; without a stop, the bot opens nothing. Limits are always in `amount_currency`. */
        amount_unit?: 'quote' | 'base' | 'equity_percent' | 'risk_percent' | undefined
        /** The currency of all amounts in quote currency and of the limits, such as `USDT`. The bot opens nothing in markets with another quote currency, unless `amount_rate` converts the amounts. The default is the quote currency of its symbols, or else the usual one of its exchange. */
        amount_currency?: string | undefined
        /** A market of the exchange, such as `BTC/USDT`, whose current price converts amounts and the sizes of signals to other quote currencies; `null`: no conversion. */
        amount_rate?: string | null | undefined
        /** The maximum value of a position, in `amount_currency`; `null`: no limit. */
        max_position?: string | number | null | undefined
        /** The starting balance of the books: in `amount_currency`, or, with `amount_rate`, in the quote currency of the markets that the bot trades. A live bot for which you give none starts with the equity of its account; `null` until the service has read it. */
        start_balance?: string | number | null | undefined
        /** For paper bots: the fee of each fill, as a fraction of its value; `0.001` is 0.1 %. */
        fee_rate?: string | number | undefined
        /** For paper bots: the slippage of each order, as a fraction of the current price. */
        slippage_rate?: string | number | undefined
        /** For paper bots: the distance between bid and ask, as a fraction of the current price. Each market order pays half of it, before slippage. */
        spread_rate?: string | number | undefined
        /** For paper bots: sizes are rounded down to it, in base currency, instead of the size step of the market; `null`: that of the market. */
        size_step?: string | number | null | undefined
        /** For paper bots: the smallest order, in base currency, instead of the minimum of the market; `null`: that of the market. */
        min_size?: string | number | null | undefined
        /** For paper bots: the smallest value of an order, in quote currency, instead of the minimum of the market; `null`: that of the market. */
        min_notional?: string | number | null | undefined
        /** For paper bots: how much of what is traded in a minute the bot may trade, as a fraction: `0.1`. The rest of an order is not executed; `null`: orders of any size are executed. */
        participation?: string | number | null | undefined
        /** For paper bots with a `leverage` on futures: positions have isolated margin, and are liquidated when only this part of their value is left, as a fraction: `0.005`; `null`: none is liquidated. */
        maintenance?: string | number | null | undefined
        /** What new positions are protected by, unless a signal says otherwise; `null`: nothing. The service watches it, so it does not act while the service is not running. A change applies to positions that open later. */
        protection?:
          | {
              /** Where the position is closed with a loss: a price, or a distance from the entry price. */
              stop_loss?: string | number | null | undefined
              /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
              take_profit?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                    at: string | number | null
                    /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
                    part?: string | number | undefined
                  }[]
                | string
                | number
                | null
                | undefined
              /** The stop follows the best price. */
              trailing?:
                | {
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                    by?: string | number | null | undefined
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                    from?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                    step?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The stop moves to the entry price. */
              break_even?:
                | {
                    /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                    after?: string | number | null | undefined
                    /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                    plus?: string | number | null | undefined
                  }
                | null
                | undefined
              /** The position is closed when it is this old, at whatever price; `null`: never. */
              exit_after_seconds?: number | null | undefined
            }
          | null
          | undefined
        /** If `true`, the bot opens nothing without a stop, of its own or of the signal. */
        require_stop?: boolean | undefined
        /** The bot refuses an opening whose stop is further away from the price than this, such as `"3%"`; `null`: no limit. */
        max_stop_distance?: string | null | undefined
        /** Of futures: how many times its margin a position is worth, at most what the markets allow. A live bot sets it at the exchange before it opens a position, and opens nothing if the exchange has another one. On paper, it is how often the balance can be used. `null`: what the account has; on paper, 1. */
        leverage?: number | null | undefined
        /** Of futures at an exchange: the bot sets it before it opens a position, and opens nothing if the exchange has another one. `null`: what the account has. On paper, it changes nothing. */
        margin_mode?: 'cross' | 'isolated' | null | undefined
        /** Of the bot, for a part of its equity. Default: `paper`. */
        mode?: 'paper' | 'live' | undefined
        /** A bot of yours whose equity counts. Without it, that of a new bot is its `start_balance`. It counts only if `amount_unit` is `equity_percent` or `risk_percent`. */
        bot_id?: number | undefined
        /** The account of a live bot. A stop at which its last known worth would be used up is refused, as the bot would refuse it. */
        connection_id?: number | undefined
      },
    ]
    answer: {
      /** What each order is for. */
      amount: string
      amount_in: string | null
      /** How many symbols the bot would trade; 1 if it names none. */
      symbol_count: number
      /** For at most 5 symbols. */
      previews: {
        symbol: string
        /** `OPENS`: the bot would place this order. `REFUSED`: it would refuse the signal. `UNKNOWN`: nobody can say now, for example without a price. */
        status: 'OPENS' | 'REFUSED' | 'UNKNOWN'
        reason: string | null
        price: string | null
        size: string | null
        value: string | null
        base: string | null
        quote: string | null
        stop_price: string | null
        loss_at_stop: string | null
        note: string | null
      }[]
    }
  }

  /** Read how the books of a signal bot compare with its account */
  'GET /api/v2/bot/signal/cex/{id}/reconciliation?{query}': {
    arguments: [
      id: number,
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: {
      /** The last comparison of each symbol. */
      symbols: {
        symbol: string
        /** `UNREACHABLE`: the service could not read the account, so nothing is decided. */
        status: 'AGREES' | 'DIFFERS' | 'UNREACHABLE'
        /** What the bot holds according to its books. In base currency; negative for a short. */
        books_size: string
        account_size: string | null
        /** The part of the account that you decided to ignore. In base currency; negative for a short. */
        ignored_size: string
        open_orders: number | null
        reason: string | null
        differs_since: string | null
        /** ISO 8601, UTC. */
        checked_at: string
      }[]
      /** What was found and done, the newest first. */
      events: {
        id: number
        symbol: string
        /** `BOOKED`: the books count something that happened without the bot. `DIFFERED`, `AGREED`: a difference began or ended. `ADOPTED`, `IGNORED`: your decision. */
        type: 'BOOKED' | 'DIFFERED' | 'AGREED' | 'ADOPTED' | 'IGNORED'
        text: string
        /** ISO 8601, UTC. */
        at: string
      }[]
      events_total: number
      /** With more than 10,000, which are not counted. */
      events_total_is_exact?: false | undefined
      events_next?: number | null | undefined
    }
  }

  /** Let the books take over the number of the account */
  'POST /api/v2/bot/signal/cex/{id}/reconciliation/adopt {body}': {
    arguments: [
      id: number,
      body: {
        /** Ignores case and separators, as filters of lists do. */
        symbol: string
      },
    ]
    answer: { message: 'Success'; note: string }
  }

  /** Let the books keep their number */
  'POST /api/v2/bot/signal/cex/{id}/reconciliation/ignore {body}': {
    arguments: [
      id: number,
      body: {
        /** Ignores case and separators, as filters of lists do. */
        symbol: string
      },
    ]
    answer: { message: 'Success'; note: string }
  }

  /** List the positions of your bots */
  'GET /api/v2/position?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        /** `true` includes closed positions. */
        all?: boolean | undefined
      },
    ]
    answer: List<Position>
  }

  /** List the orders of your bots */
  'GET /api/v2/order?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        status?: 'PLANNED' | 'OPEN' | 'UNKNOWN' | 'FILLED' | 'CANCELED' | 'REJECTED' | undefined
      },
    ]
    answer: List<Order>
  }

  /** List the fills of your bots */
  'GET /api/v2/fill?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
        order_id?: number | undefined
      },
    ]
    answer: List<Fill>
  }

  /** List the funding payments of your bots */
  'GET /api/v2/payment?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`. */
        symbol?: string | undefined
        /** Only records from this time or later. */
        since?: string | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        bot_id?: number | undefined
        /** Only of bots in this mode. */
        mode?: 'paper' | 'live' | undefined
        /** `true`: only of bots with a demo account; `false`: only of bots without one. */
        demo?: boolean | undefined
      },
    ]
    answer: List<{
      id: number
      bot_id: number
      /** Whether the bot trades with a demo account, without real money; `null` if it is deleted. */
      demo: boolean | null
      symbol: string
      kind: 'funding'
      /** The id that the exchange gave the payment. */
      payment_id: string
      asset: string
      /** In `asset`. Negative if the bot paid. */
      amount: string
      /** In quote currency. */
      value: string
      /** ISO 8601, UTC. */
      paid_at: string
    }>
  }

  /** List your mail, newest first */
  'GET /api/v2/user/mail?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
      },
    ]
    answer: List<Mail>
  }

  /** List your notification endpoints */
  'GET /api/v2/notification/endpoint?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<NotificationEndpoint>
  }

  /** Create a notification endpoint; only this response shows its secret */
  'POST /api/v2/notification/endpoint {body}': {
    arguments: [
      body: {
        /** An address that gets signed JSON, a chat service, or the mail address of your account. */
        kind?: 'webhook' | 'telegram' | 'discord' | 'slack' | 'ntfy' | 'pushover' | 'email' | undefined
        /** Of the kinds webhook, discord, slack and ntfy: the address, preferably https. Private addresses are refused. */
        url?: string | undefined
        /** The token of a Telegram bot, of a Pushover application, or for a topic of ntfy. */
        token?: string | undefined
        /** Of the kind telegram: the number of the chat, or the name of a channel. */
        chat_id?: string | undefined
        /** A topic of a Telegram group, or a thread of Discord. */
        thread_id?: string | undefined
        /** Of the kind pushover: the key of the user or group. */
        user_key?: string | undefined
        /** Of the kind pushover: only this device. */
        device?: string | undefined
        description?: string | undefined
        /** The events that this endpoint receives. */
        events: (
          | 'signal.created'
          | 'signal.failed'
          | 'order.settled'
          | 'order.unknown'
          | 'limit.reached'
          | 'position.opened'
          | 'position.closed'
          | 'position.closed_outside'
          | 'position.liquidated'
          | 'books.differ'
          | 'close.refused'
          | 'stop.refused'
          | 'stop.too_late'
          | 'funding.unknown'
          | 'bot.failed'
          | 'trading.switched'
          | 'strategy.suspended'
          | 'run.failed'
          | 'approval.requested'
          | 'backtest.finished'
        )[]
        /** Events whose messages come without a sound. Only of kinds that have silent messages: telegram, discord, ntfy and pushover. */
        silent?:
          | (
              | 'signal.created'
              | 'signal.failed'
              | 'order.settled'
              | 'order.unknown'
              | 'limit.reached'
              | 'position.opened'
              | 'position.closed'
              | 'position.closed_outside'
              | 'position.liquidated'
              | 'books.differ'
              | 'close.refused'
              | 'stop.refused'
              | 'stop.too_late'
              | 'funding.unknown'
              | 'bot.failed'
              | 'trading.switched'
              | 'strategy.suspended'
              | 'run.failed'
              | 'approval.requested'
              | 'backtest.finished'
            )[]
          | undefined
        quiet_hours?: { from: string; to: string; time_zone: string } | null | undefined
        digest?: { at: string; time_zone: string } | null | undefined
      },
    ]
    answer: {
      id: number
      /** An address that gets signed JSON, a chat service, or the mail address of your account. */
      kind: 'webhook' | 'telegram' | 'discord' | 'slack' | 'ntfy' | 'pushover' | 'email'
      receiver: string | null
      url: string | null
      chat_id: string | null
      thread_id: string | null
      device: string | null
      description: string
      events: (
        | 'signal.created'
        | 'signal.failed'
        | 'order.settled'
        | 'order.unknown'
        | 'limit.reached'
        | 'position.opened'
        | 'position.closed'
        | 'position.closed_outside'
        | 'position.liquidated'
        | 'books.differ'
        | 'close.refused'
        | 'stop.refused'
        | 'stop.too_late'
        | 'funding.unknown'
        | 'bot.failed'
        | 'trading.switched'
        | 'strategy.suspended'
        | 'run.failed'
        | 'approval.requested'
        | 'backtest.finished'
      )[]
      silent: (
        | 'signal.created'
        | 'signal.failed'
        | 'order.settled'
        | 'order.unknown'
        | 'limit.reached'
        | 'position.opened'
        | 'position.closed'
        | 'position.closed_outside'
        | 'position.liquidated'
        | 'books.differ'
        | 'close.refused'
        | 'stop.refused'
        | 'stop.too_late'
        | 'funding.unknown'
        | 'bot.failed'
        | 'trading.switched'
        | 'strategy.suspended'
        | 'run.failed'
        | 'approval.requested'
        | 'backtest.finished'
      )[]
      quiet_hours: { from: string; to: string; time_zone: string } | null
      digest: { at: string; time_zone: string } | null
      /** The service sets `DISABLED` after 5 days without a success, or as soon as the receiver wants nothing more. */
      status: 'ACTIVE' | 'INACTIVE' | 'DISABLED'
      reason: string | null
      muted_until: string | null
      failing_since: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      secret: string | null
    }
  }

  /** Read a notification endpoint */
  'GET /api/v2/notification/endpoint/{id}': { arguments: [id: number]; answer: NotificationEndpoint }

  /** Change a notification endpoint; only the given fields change */
  'PUT /api/v2/notification/endpoint/{id} {body}': {
    arguments: [
      id: number,
      body: {
        /** Of the kinds webhook, discord, slack and ntfy: the address, preferably https. Private addresses are refused. */
        url?: string | undefined
        token?: string | null | undefined
        /** Of the kind telegram: the number of the chat, or the name of a channel. */
        chat_id?: string | undefined
        thread_id?: string | null | undefined
        /** Of the kind pushover: the key of the user or group. */
        user_key?: string | undefined
        device?: string | null | undefined
        description?: string | undefined
        /** The events that this endpoint receives. */
        events?:
          | (
              | 'signal.created'
              | 'signal.failed'
              | 'order.settled'
              | 'order.unknown'
              | 'limit.reached'
              | 'position.opened'
              | 'position.closed'
              | 'position.closed_outside'
              | 'position.liquidated'
              | 'books.differ'
              | 'close.refused'
              | 'stop.refused'
              | 'stop.too_late'
              | 'funding.unknown'
              | 'bot.failed'
              | 'trading.switched'
              | 'strategy.suspended'
              | 'run.failed'
              | 'approval.requested'
              | 'backtest.finished'
            )[]
          | undefined
        /** Events whose messages come without a sound. Only of kinds that have silent messages: telegram, discord, ntfy and pushover. */
        silent?:
          | (
              | 'signal.created'
              | 'signal.failed'
              | 'order.settled'
              | 'order.unknown'
              | 'limit.reached'
              | 'position.opened'
              | 'position.closed'
              | 'position.closed_outside'
              | 'position.liquidated'
              | 'books.differ'
              | 'close.refused'
              | 'stop.refused'
              | 'stop.too_late'
              | 'funding.unknown'
              | 'bot.failed'
              | 'trading.switched'
              | 'strategy.suspended'
              | 'run.failed'
              | 'approval.requested'
              | 'backtest.finished'
            )[]
          | undefined
        quiet_hours?: { from: string; to: string; time_zone: string } | null | undefined
        digest?: { at: string; time_zone: string } | null | undefined
      },
    ]
    answer: NotificationEndpoint
  }

  /** Delete a notification endpoint and everything that waits for it */
  'DELETE /api/v2/notification/endpoint/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Activate or deactivate a notification endpoint */
  'PUT /api/v2/notification/endpoint/{id}/status {body}': {
    arguments: [id: number, body: { status: 'ACTIVE' | 'INACTIVE' }]
    answer: NotificationEndpoint
  }

  /** Create a new secret for a notification endpoint; only this response shows it */
  'POST /api/v2/notification/endpoint/{id}/rotate': {
    arguments: [id: number]
    answer: {
      id: number
      /** An address that gets signed JSON, a chat service, or the mail address of your account. */
      kind: 'webhook' | 'telegram' | 'discord' | 'slack' | 'ntfy' | 'pushover' | 'email'
      receiver: string | null
      url: string | null
      chat_id: string | null
      thread_id: string | null
      device: string | null
      description: string
      events: (
        | 'signal.created'
        | 'signal.failed'
        | 'order.settled'
        | 'order.unknown'
        | 'limit.reached'
        | 'position.opened'
        | 'position.closed'
        | 'position.closed_outside'
        | 'position.liquidated'
        | 'books.differ'
        | 'close.refused'
        | 'stop.refused'
        | 'stop.too_late'
        | 'funding.unknown'
        | 'bot.failed'
        | 'trading.switched'
        | 'strategy.suspended'
        | 'run.failed'
        | 'approval.requested'
        | 'backtest.finished'
      )[]
      silent: (
        | 'signal.created'
        | 'signal.failed'
        | 'order.settled'
        | 'order.unknown'
        | 'limit.reached'
        | 'position.opened'
        | 'position.closed'
        | 'position.closed_outside'
        | 'position.liquidated'
        | 'books.differ'
        | 'close.refused'
        | 'stop.refused'
        | 'stop.too_late'
        | 'funding.unknown'
        | 'bot.failed'
        | 'trading.switched'
        | 'strategy.suspended'
        | 'run.failed'
        | 'approval.requested'
        | 'backtest.finished'
      )[]
      quiet_hours: { from: string; to: string; time_zone: string } | null
      digest: { at: string; time_zone: string } | null
      /** The service sets `DISABLED` after 5 days without a success, or as soon as the receiver wants nothing more. */
      status: 'ACTIVE' | 'INACTIVE' | 'DISABLED'
      reason: string | null
      muted_until: string | null
      failing_since: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** ISO 8601, UTC. */
      updated_at: string
      /** The secret to verify signatures with: `whsec_…`. Shown only once. */
      secret: string
    }
  }

  /** List your notifications, newest first */
  'GET /api/v2/notification?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
        /** Only events before the one with this id. Not with `page`. */
        before?: number | undefined
        /** Only events after the one with this id: without `before`, those next to it. Not with `page`. */
        after?: number | undefined
        event?:
          | 'signal.created'
          | 'signal.failed'
          | 'order.settled'
          | 'order.unknown'
          | 'limit.reached'
          | 'position.opened'
          | 'position.closed'
          | 'position.closed_outside'
          | 'position.liquidated'
          | 'books.differ'
          | 'close.refused'
          | 'stop.refused'
          | 'stop.too_late'
          | 'funding.unknown'
          | 'bot.failed'
          | 'trading.switched'
          | 'strategy.suspended'
          | 'run.failed'
          | 'approval.requested'
          | 'backtest.finished'
          | 'signal.ended'
          | 'digest'
          | 'test'
          | undefined
        /** Only notifications from this time on. */
        since?: string | undefined
      },
    ]
    answer: List<Notification>
  }

  /** Read a notification with its deliveries */
  'GET /api/v2/notification/{id}': { arguments: [id: number]; answer: Notification }

  /** Send a notification again, to one endpoint or to all that it was meant for */
  'POST /api/v2/notification/{id}/replay?{query}': {
    arguments: [id: number, query?: { endpoint_id?: number | undefined }]
    answer: Notification
  }

  /** Send a test notification to an endpoint */
  'POST /api/v2/notification/endpoint/{id}/test': { arguments: [id: number]; answer: Notification }

  /** Resend everything since a given time that an endpoint has not received */
  'POST /api/v2/notification/endpoint/{id}/recover {body}': {
    arguments: [
      id: number,
      body: {
        /** Only notifications from this time on. */
        since: string
      },
    ]
    answer: { queued: number; more: boolean }
  }

  /** List the hosts that receive callbacks of your signals */
  'GET /api/v2/notification/callback?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      /** Scheme, host and port of the addresses, such as `https://example.com`. */
      origin: string
      failing_since: string | null
      /** ISO 8601, UTC. */
      created_at: string
    }>
  }

  /** Create a new secret for a host that receives callbacks; only this response shows it */
  'POST /api/v2/notification/callback/{id}/rotate': {
    arguments: [id: number]
    answer: {
      id: number
      /** Scheme, host and port of the addresses, such as `https://example.com`. */
      origin: string
      failing_since: string | null
      /** ISO 8601, UTC. */
      created_at: string
      /** The secret to verify signatures with: `whsec_…`. Shown only once. */
      secret: string
    }
  }

  /** Delete a host that receives callbacks, and everything that waits for it */
  'DELETE /api/v2/notification/callback/{id}': { arguments: [id: number]; answer: { message: 'Success' } }

  /** Send a signal to the bots of a bot webhook */
  'POST /api/v2/webhook/bot/{id}/signal {body}': {
    arguments: [
      id: number,
      body: {
        symbol: string
        /** `BUY`, `SELL` or `EXIT`, as in a payload. */
        side: string
        /** In quote currency to open, in base currency to close. */
        size?: number | undefined
        /** Adds to a position in the same direction. */
        dilution?: boolean | undefined
        /** Counts `size` for bots with `strict_amount` too. */
        forceSize?: boolean | undefined
        /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
        type?: string | null | undefined
        /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
        offset?: string | number | null | undefined
        /** How long the order rests. */
        timeout_seconds?: string | number | null | undefined
        /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
        on_timeout?: string | null | undefined
        /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
        chases?: string | number | null | undefined
        /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
        max_slippage?: string | number | null | undefined
        /** The limit, in quote currency. Without a `type` that rests, it is the price that the sender sees. */
        price?: string | number | null | undefined
        /** Where the position is closed with a loss: a price, or a distance from the entry price. */
        stop_loss?: string | number | null | undefined
        /** At most 8 targets, the nearest first. Each closes a part of the position. A single level closes all of it. */
        take_profit?:
          | {
              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
              at: string | number | null
              /** A fraction of the position as it was opened. All parts together are at most 1. A single target closes the whole position. */
              part?: string | number | undefined
            }[]
          | string
          | number
          | null
          | undefined
        /** The stop follows the best price. */
        trailing?:
          | {
              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
              by?: string | number | null | undefined
              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
              from?: string | number | null | undefined
              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
              step?: string | number | null | undefined
            }
          | null
          | undefined
        /** The stop moves to the entry price. */
        break_even?:
          | {
              /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
              after?: string | number | null | undefined
              /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
              plus?: string | number | null | undefined
            }
          | null
          | undefined
        /** The position is closed when it is this old, at whatever price; `null`: never. */
        exit_after_seconds?: number | null | undefined
        /** Your own name for the signal. */
        id?: string | undefined
        flag?: 'TEST' | 'REVERSE' | 'DEBUG' | ('TEST' | 'REVERSE' | 'DEBUG')[] | undefined
        /** The answer also explains the signal. */
        debug?: boolean | undefined
        /** A repeat within 24 hours gets the first answer and is not traded again, even if the service was killed in between. It is stored with the signal, and is the key of posts to the URL too. */
        idempotency_key?: string | undefined
      },
    ]
    answer: {
      /** The id of the signal. */
      id: number
      /** ISO 8601, UTC. */
      received_at: string
      /** How many bots took the signal. */
      bots: number
      /** Why no bot took it, or that the bots trade it in spite of DEBUG. */
      note?: string | undefined
      /** Fields of the payload that nothing acts on, such as `leverage`: at most 20 names, each cut to 64 characters. Absent if there are none, and in the answer to a repeat. */
      ignored?: string[] | undefined
      /** How the service understood the payload. Present if the payload asks for it, with `debug` or the flag DEBUG. */
      debug?:
        | {
            action: 'LONG' | 'SHORT' | 'EXIT'
            symbols: string[]
            options: {
              id?: string | undefined
              /** In quote currency to open, in base currency to close; from 1e-18 to 1e18. */
              size?: number | undefined
              /** What a `size` that opens is in, whatever a bot says: base currency, or the quote currency of the market. Absent: the bot decides. */
              sizeUnit?: 'base' | 'quote' | undefined
              dilution?: boolean | undefined
              forceSize?: boolean | undefined
              /** Of an EXIT: it closes a position on this side only. Absent: on any. */
              closes?: 'long' | 'short' | undefined
              /** What the position that it opens is protected by, instead of what the bot says. */
              protection?:
                | {
                    /** Where the position is closed with a loss: a price, or a distance from the entry price. */
                    stop_loss?: string | null | undefined
                    /** At most 8 targets, the nearest first. Each closes a part of the position. */
                    take_profit?:
                      | {
                          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). */
                          at: string
                          /** A fraction of the position as it was opened. All parts together are at most 1. */
                          part: string
                        }[]
                      | undefined
                    /** The stop follows the best price. */
                    trailing?:
                      | {
                          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop stays this far from the best price. */
                          by: string
                          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). The stop follows from there on; `null`: from the entry on. */
                          from: string | null
                          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves by at least so much; `null`: with each better price. */
                          step: string | null
                        }
                      | null
                      | undefined
                    /** The stop moves to the entry price. */
                    break_even?:
                      | {
                          /** A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`). Once the price has reached it, the stop moves. */
                          after: string
                          /** A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop. The stop moves so far beyond the entry price; `null`: to the entry price itself. */
                          plus: string | null
                        }
                      | null
                      | undefined
                    /** The position is closed when it is this old, at whatever price; `null`: never. */
                    exit_after_seconds?: number | null | undefined
                  }
                | undefined
              /** How the bots enter, instead of what they say. An option that was not given is absent. */
              entry?:
                | {
                    /** `limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price. */
                    type: 'market' | 'limit' | 'post_only'
                    /** The limit, in quote currency. */
                    price?: string | undefined
                    /** How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer. */
                    offset?: string | null | undefined
                    /** How long the order rests. */
                    timeout_seconds?: number | undefined
                    /** What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long. */
                    on_timeout?: 'cancel' | 'market' | 'chase' | undefined
                    /** With `chase`: how many new limit orders there are at most; `null` otherwise. */
                    chases?: number | null | undefined
                    /** How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit. */
                    max_slippage?: string | null | undefined
                  }
                | undefined
              /** Names a prediction market. */
              slug?: string | undefined
              outcome?: string | undefined
            }
            /** The flag that decides what bots do: TEST, if it is among `flags`, or else REVERSE. */
            flag: 'TEST' | 'REVERSE' | null
            /** What the sender asked for. TEST: no bot trades the signal. REVERSE: `action` is already the opposite of the side. DEBUG: the answer explained the signal. */
            flags: ('TEST' | 'REVERSE' | 'DEBUG')[]
            /** Ids of your bots that get the signal, or would get it without TEST; at most a hundred. null if they could not be read. */
            bots: number[] | null
            /** What each of your bots with this webhook would do, by its books and the price right before the signal was stored: the first 10. null if it could not be worked out, also after many explanations in a short time. */
            plans:
              | {
                  bot_id: number
                  bot_name: string
                  mode: 'paper' | 'live'
                  /** Whether it trades live with an account without real money. */
                  demo: boolean
                  /** How the bot would end the signal, or where it would wait. `DONE`: it would trade. `RESTING`: its opening would rest at its limit. `UNKNOWN`: nobody could say in time. */
                  status:
                    | 'DONE'
                    | 'IGNORED'
                    | 'REFUSED'
                    | 'FAILED'
                    | 'CLOSING'
                    | 'WAITING'
                    | 'RESTING'
                    | 'UNKNOWN'
                  /** Why not, or not as wanted. */
                  reason: string | null
                  /** How long the bot waits before it follows the signal. */
                  delay_seconds: number
                  /** The orders that it would place, in order. */
                  orders: {
                    purpose: 'open' | 'close'
                    side: 'buy' | 'sell'
                    /** The market, as the exchange of the bot names it. */
                    symbol: string
                    /** In base currency. */
                    size: string
                    /** The price that it counts with, in quote currency. */
                    price: string
                  }[]
                }[]
              | null
          }
        | undefined
      duplicate?: true | undefined
    }
  }

  /** List the people of Telegram who may use your account */
  'GET /api/v2/chat/link?{query}': {
    arguments: [
      query?: {
        /** Counts from 1. */
        page?: number | undefined
        /** Default 50. */
        limit?: number | undefined
      },
    ]
    answer: List<{
      id: number
      /** How Telegram calls the person who is linked. */
      name: string
      /** The id of the person at Telegram. */
      telegram_id: number
      /** `read`: look at the account. `control`: also halt, switch bots, close positions and decide about approvals. */
      scope: 'read' | 'control'
      /** ISO 8601, UTC. */
      created_at: string
      used_at: string | null
    }>
  }

  /** Make a link to the Telegram bot of this service, valid once, for ten minutes */
  'POST /api/v2/chat/link {body}': {
    arguments: [
      body: {
        /** `read`: look at the account. `control`: also halt, switch bots, close positions and decide about approvals. */
        scope: 'read' | 'control'
      },
    ]
    answer: {
      /** The first person who opens it and presses Start is linked. Valid once. */
      url: string
      /** The name of the bot at Telegram. */
      bot: string
      /** `read`: look at the account. `control`: also halt, switch bots, close positions and decide about approvals. */
      scope: 'read' | 'control'
      /** ISO 8601, UTC. */
      expires_at: string
    }
  }

  /** Unlink a person of Telegram from your account */
  'DELETE /api/v2/chat/link/{id}': { arguments: [id: number]; answer: { message: 'Success' } }
}
