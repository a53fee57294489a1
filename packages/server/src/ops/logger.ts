import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'

/** The places in log entries that could contain a secret. Bodies, code and storage are never logged. */
const redacted = [
  'password',
  'apiSecret',
  'req.headers["api-key"]',
  'req.headers.signature',
  'req.headers["x-key"]',
  'req.headers.authorization',
  'req.headers.cookie',
]

/** Writes one JSON object per line. Removes the secret in a webhook's address from every URL. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: {
      req: (request: { method?: string; url?: string; id?: string }) => ({
        id: request.id,
        method: request.method,
        url: withoutSecrets(request.url ?? ''),
      }),
      err: describeError,
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

type DescribedError = { type: string; message: string; code?: unknown; stack?: string; cause?: unknown }

/** Logs only fields without secrets: libraries attach clients, configurations and queries to their errors. */
function describeError(error: unknown): DescribedError | string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Drizzle appends the values of a failed query to its message, for example code and hashes. */
function withoutParameters(message: string): string {
  return message.replace(/\nparams: [\s\S]*$/, '')
}

/** Without the first lines of the stack, which repeat the message. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}

/** The path of a URL without its query, and without the id of a webhook. */
export function withoutSecrets(url: string): string {
  return (url.split('?')[0] ?? '').replace(/^(\/data-webhook\/).*/, '$1[redacted]')
}
