import { readFileSync } from 'node:fs'

/** An operation as scripts written for the hosted service know it. */
export type HostedOperation = {
  /** The method of its client, such as `strategies.code.create`. */
  name: string
  method: string
  /** After `/api/v2`. */
  path: string
  takesQuery: boolean
  /** The type of each field; `null`: any fields. */
  body: Record<string, string> | null
  status: number
  /** The name of what it answers. A list ends in `[]`. */
  answer: string
}

/** All of them, from `operations.txt`. */
export const operations: readonly HostedOperation[] = readAll()

function readAll(): HostedOperation[] {
  const lines = readFileSync(new URL('operations.txt', import.meta.url), 'utf8').split('\n')
  let group = ''
  return lines.flatMap((line) => {
    if (!line.startsWith(' ')) {
      group = line
      return []
    }
    const [name, request, body, answer] = line.split('|').map((column) => column.trim())
    const [method, target] = request!.split(' ')
    const [status, kind] = answer!.split(' ')
    return {
      name: `${group}.${name}`,
      method: method!,
      path: target!.replace('?query', ''),
      takesQuery: target!.endsWith('?query'),
      body: body === '*' ? null : readFields(body!),
      status: Number(status),
      answer: kind!,
    }
  })
}

function readFields(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(' ')
      .filter((field) => field !== '')
      .map((field) => field.split(':')),
  )
}
