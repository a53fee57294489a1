/** What the API reads of a data folder, and how later answers are compared with it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../client.ts'

/** Answers by the path of their GET request. */
export type Answers = Record<string, unknown>

/** What is not in the data: the catalogue, prices, the present moment, who asks, and what a start goes on with. */
const leftOut =
  /^\/(health|metrics|api\/v2\/(exchange|market|live|system|trading|search|candle\/download|notification|user\/invitation))|\/(stats|equity|budget|limits|models|services|session|sessions|audit|preview|mail|trace)\b|\.csv$/

/** Every path of the API that reads, and can be asked without knowing more than the ids of a list. */
async function readingPaths(): Promise<string[]> {
  const file = join(import.meta.dirname, '../../../../docs/openapi.json')
  const { paths } = JSON.parse(await readFile(file, 'utf8')) as { paths: Record<string, { get?: unknown }> }
  return Object.keys(paths).filter((path) => paths[path]!.get !== undefined && !leftOut.test(path))
}

/** Everything that the API has of an installation: its lists, and of each thing in them all that has its id. */
export async function readAll(client: Client): Promise<Answers> {
  const paths = await readingPaths()
  const answers: Answers = {}
  const read = async (path: string) => {
    const { status, body } = await client.api('GET', path)
    if (status === 200) answers[path] = body
  }
  for (const path of paths.filter((each) => !each.includes('{'))) await read(path)
  for (const [list, answer] of Object.entries(answers)) {
    const below = paths.filter((path) => path.startsWith(`${list}/{id}`) && path.split('{').length === 2)
    for (const id of idsOf(answer)) for (const path of below) await read(path.replace('{id}', String(id)))
  }
  return answers
}

function idsOf(answer: unknown): unknown[] {
  const items = Array.isArray(answer) ? answer : ((answer as { items?: unknown }).items ?? [])
  return (items as { id?: unknown }[]).flatMap(({ id }) => (id === undefined ? [] : [id]))
}

/** When a key last asked, which is written once a minute. */
const ofRequests = 'last_used_at'

/** What two answers have in common: a price, for example, is another one each time. `undefined`: nothing. */
export function common(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length
      ? one.map((item, index) => common(item, other[index]) ?? {})
      : undefined
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one).filter((key) => key !== ofRequests)
    const shared = keys.map((key) => [key, common(one[key], other[key])] as const)
    return Object.fromEntries(shared.filter(([, value]) => value !== undefined))
  }
  return one === other ? one : undefined
}

/** The places where an answer lacks what it had. It may have more fields: that is how an API grows. */
export function differences(expected: unknown, actual: unknown, place = ''): string[] {
  const all = (keys: (string | number)[], of: (key: never) => [unknown, unknown]) =>
    keys.flatMap((key) => differences(...of(key as never), `${place}.${key}`))
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length)
    return all([...expected.keys()], (index) => [expected[index], actual[index]])
  if (isObject(expected) && isObject(actual))
    return all(Object.keys(expected), (key) => [expected[key], actual[key]])
  const texts = [expected, actual].map((value) => JSON.stringify(value)?.slice(0, 100))
  return expected === actual ? [] : [`${place}: ${texts[0]} became ${texts[1]}`]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
