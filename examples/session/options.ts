import { parseArgs } from 'node:util'
import { UsageError } from '../usage-error.ts'

export const usage = `Usage: npm run example -- session [FILE.csv] [--symbol SYMBOL] [--prompt FILE]
         [--every HOURS] [--tokens MOST]

  FILE.csv        candles of the past (header: time,open,high,low,close,volume); default: a generated year
  --symbol SYMBOL the market of the candles; default BTC/USDT. A prompt has it as {{symbol}}
  --prompt FILE   the prompt of the session; default: examples/session/prompt.md
  --every HOURS   how often it decides: 1, 2, 4, 8, 12 or 24; default 24
  --tokens MOST   the most tokens that it may spend; default 2000000

Without a key, a stand-in on this machine decides. To ask a model of yours, set MODEL_API_KEY, MODEL_SERVICE (its id, see
docs/ai-reactions.md#connections) and MODEL_NAME; MODEL_BASE_URL if it has an address of its own.`

export type OwnModel = { service_id: number; api_key?: string; model: string; base_url?: string }

export type SessionOptions = {
  file: string | null
  symbol: string
  prompt: string | null
  everyHours: number
  tokens: number
  /** `null`: the stand-in. */
  model: OwnModel | null
}

const hours = ['1', '2', '4', '8', '12', '24']

/** @throws {UsageError} */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): SessionOptions {
  const { positionals, values } = parse(args)
  if (positionals.length > 1) throw new UsageError(usage)
  const { prompt = null, symbol = 'BTC/USDT', every = '24', tokens = '2000000' } = values
  if (!/^[A-Z\d]{1,12}\/[A-Z\d]{1,12}$/.test(symbol)) {
    throw new UsageError(`--symbol must be a pair such as BTC/USDT, got "${symbol}".`)
  }
  if (!hours.includes(every))
    throw new UsageError(`--every must be one of ${hours.join(', ')}, got "${every}".`)
  if (!/^\d{1,9}$/.test(tokens)) {
    throw new UsageError(`--tokens must be a whole number up to 999999999, got "${tokens}".`)
  }
  const file = positionals[0] ?? null
  return { file, symbol, prompt, everyHours: Number(every), tokens: Number(tokens), model: ownModel(env) }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    const options = { symbol: text, prompt: text, every: text, tokens: text }
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`)
  }
}

/** The key is a setting and no argument, because every user of a machine can read the arguments of its programs. */
function ownModel(env: NodeJS.ProcessEnv): OwnModel | null {
  const { MODEL_SERVICE: service, MODEL_NAME: model, MODEL_API_KEY: key, MODEL_BASE_URL: url } = env
  if (!service && !model && !key && !url) return null
  if (!service || !model) throw new UsageError('Set MODEL_SERVICE and MODEL_NAME, or no setting of a model.')
  if (!/^\d{1,9}$/.test(service)) {
    throw new UsageError(`MODEL_SERVICE must be the id of a service, such as 102, got "${service}".`)
  }
  if (url && !URL.canParse(url)) throw new UsageError(`MODEL_BASE_URL must be an address, got "${url}".`)
  return {
    ...{ service_id: Number(service), model },
    ...(key ? { api_key: key } : {}),
    ...(url ? { base_url: url } : {}),
  }
}
