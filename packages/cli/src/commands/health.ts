import { serviceOrigin } from '../address.ts'
import type { Context } from '../context.ts'
import { exitCodes, Failure, wrongUse } from '../failures.ts'

const timeoutMs = 10_000

type Part = { ready: boolean; [fact: string]: unknown }
type Report = { status: string; parts: Record<string, Part> }

/** Whether a service can do its work, part by part. It needs no key. */
export async function health(context: Context, address: string | undefined): Promise<void> {
  const url = serviceOrigin(address ?? context.world.env.TICKWRIGHT_URL ?? (await addressOfProfile(context)))
  const { status, parts } = await reportOf(url)
  const rows = Object.entries(parts).map(([part, { ready, ...facts }]) => ({ part, ready, ...facts }))
  context.out.rows(
    [
      { title: 'part', value: ({ part }) => part },
      { title: 'ready', value: ({ ready }) => (ready ? 'yes' : 'no') },
      { title: 'facts', value: factsOf },
    ],
    rows,
    'The service reports no parts.',
  )
  if (status !== 'ready') throw new Failure(`${url} is not ready.`)
}

async function reportOf(url: string): Promise<Report> {
  let response: Response
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    response = await fetch(`${url}/health/ready`, { redirect: 'manual', signal })
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    throw new Failure(`${url} gives no answer (${message}).`, exitCodes.unreachable)
  }
  const report = (await response.json().catch(() => undefined)) as Partial<Report> | undefined
  if (typeof report?.status === 'string' && typeof report.parts === 'object') return report as Report
  throw new Failure(
    `${url} answers with ${response.status}, but not as a Tickwright service.`,
    exitCodes.unreachable,
  )
}

async function addressOfProfile(context: Context): Promise<string> {
  const name = await context.namedProfile()
  const profile = name === undefined ? undefined : await context.profiles.read(name)
  if (profile !== undefined) return profile.url
  throw wrongUse('Name the service: tickwright health http://127.0.0.1:3000')
}

function factsOf({ part: _, ready: __, ...facts }: Record<string, unknown>): string {
  return Object.entries(facts)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(' ') : value}`)
    .join(', ')
}
