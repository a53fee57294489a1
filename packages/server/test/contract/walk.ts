import assert from 'node:assert/strict'
import type { ApiDocument, Operation } from './document.ts'
import type { Reply, Sender } from './stranger.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests assert on what they look at
type Json = any
type Fields = Record<string, unknown>

export const api = '/api/v2'

/** An account that walks through the API, one operation at a time, and records its path. */
export class Walk {
  readonly document: ApiDocument
  readonly send: Sender
  /** The request lines of the operations that succeeded. */
  readonly visited = new Set<string>()
  /** The records of this account: the id of a record by the path of its kind, such as `/webhook/data`. */
  readonly ids = new Map<string, number>()
  /** A body that each operation took, by its line. */
  readonly bodies = new Map<string, Fields>()

  constructor(document: ApiDocument, send: Sender) {
    this.document = document
    this.send = send
  }

  /** Sends what must succeed with this status and answer as documented. Paths are those after `/api/v2`. */
  async expect(status: number, method: string, path: string, body?: Fields): Promise<Json> {
    const operation = this.find(method, path)
    const { query, ...sending } = sendingOf(method, path, body)
    const reply = await this.send(sending)
    assert.equal(reply.status, status, `${operation.line}: ${JSON.stringify(reply.body)}`)
    this.document.hold(operation, reply)
    this.visited.add(operation.line)
    if (body !== undefined) this.bodies.set(operation.line, body)
    if (query) await this.#signedWithoutQuery(method, sending.target, reply)
    return reply.body
  }

  /** Makes a thing, not with a field that nobody knows, and notes its id. */
  async create(path: string, body: Fields): Promise<Json> {
    const unknown = { ...body, a_field_of_another_service: 1 }
    const refused = await this.send(sendingOf('POST', path, unknown))
    assert.equal(refused.status, 400, `${path}: ${JSON.stringify(refused.body)}`)
    assert.equal(refused.body.details[0].field, 'body.a_field_of_another_service')
    const made = await this.expect(201, 'POST', path, body)
    assert.equal(typeof made.id, 'number')
    this.ids.set(path, made.id)
    this.bodies.set(`POST ${api}${path}`, body)
    return made
  }

  /** Reads a list as an array and as a page, with or without more to ask for. */
  async list(path: string): Promise<Json[]> {
    const items = await this.expect(200, 'GET', path)
    assert.ok(Array.isArray(items), path)
    const page = await this.expect(200, 'GET', `${path}?page=1&limit=1`)
    // Some have their items under another name as well.
    const { data: _, ...own } = page
    assert.deepEqual(Object.keys(own).sort(), ['items', 'limit', 'page', 'total'])
    assert.deepEqual([page.page, page.limit, page.items.length], [1, 1, Math.min(1, items.length)])
    const isOfEvents = this.find('GET', path).parameters.some(({ name }) => name === 'before')
    if (isOfEvents && items.length > 0) await this.#cursors(path, items[0])
    return items
  }

  /** Reads the events before and after one of them. */
  async #cursors(path: string, { id }: { id: number }): Promise<void> {
    const and = path.includes('?') ? '&' : '?'
    const newer = await this.expect(200, 'GET', `${path}${and}after=${id}&limit=200`)
    assert.ok(newer.items.every((item: { id: number }) => item.id > id))
    const older = await this.expect(200, 'GET', `${path}${and}before=${id}&limit=200`)
    assert.ok(older.items.every((item: { id: number }) => item.id < id))
    for (const part of [newer, older]) assert.ok('next' in part && !('page' in part), path)
  }

  /** Deletes, after which there is nothing. A body that is not signed is refused, except where a share ends. */
  async delete(path: string): Promise<void> {
    const operation = this.find('DELETE', path)
    const sending = { method: 'DELETE', target: api + path }
    if (!path.includes('/share/')) {
      const unsigned = await this.send({ ...sending, body: '{"unsigned":true}', signedBody: '' })
      assert.equal(unsigned.status, 401, operation.line)
    }
    const reply = await this.send(sending)
    const said = typeof reply.body === 'string' ? reply.body : reply.body.message
    assert.deepEqual([reply.status, said], [200, 'Success'], `${operation.line}`)
    this.document.hold(operation, reply)
    this.visited.add(operation.line)
    const again = await this.send(sending)
    assert.equal(again.status, 404, `${operation.line} again: ${JSON.stringify(again.body)}`)
  }

  /** The operation of the document that a request is one of; fixed parts of a path go before ids. */
  find(method: string, path: string): Operation {
    const [bare] = (api + path).split('?')
    const fits = (operation: Operation) => {
      const pattern = operation.path
        .split('/')
        .map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)))
      return operation.method === method && new RegExp(`^${pattern.join('/')}$`).test(bare!)
    }
    const found = this.document.operations.filter(fits).sort((a, b) => placesIn(a) - placesIn(b))
    assert.ok(found[0], `There is no ${method} ${bare} in the document.`)
    return found[0]
  }

  async #signedWithoutQuery(method: string, target: string, { status }: Reply): Promise<void> {
    const [signedTarget] = target.split('?')
    const reply = await this.send({ method, target, signedTarget: signedTarget! })
    assert.equal(reply.status, method === 'GET' ? status : 401)
  }
}

const placesIn = ({ path }: Operation) => path.split('{').length

function sendingOf(method: string, path: string, body: Fields | undefined) {
  return {
    method,
    target: api + path,
    query: path.includes('?'),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}
