import type { FastifyInstance, preSerializationHookHandler, RouteOptions } from 'fastify'
import type { App } from '../types.ts'
import { isSchema, type Schema } from '../walk-schema.ts'
import type { Aliases, AnswerChange, Facts, Line, OperationAlias, OtherNames, PathAlias } from './alias.ts'
import { idFields, translating, translatingPath, translatingPlaces } from './translate.ts'

const prefix = '/api/v2'

/**
 * Has the routes under `/api/v2` accept other names, and adds their other paths. A request is translated after it has
 * been authenticated and parsed, and before it is validated. So everything behind sees only our own names.
 *
 * Ids in bodies may be texts. This is the only translation that needs no row in the table.
 */
export function acceptOtherNames(app: App, { operations, paths }: Aliases, facts: Facts): void {
  app.decorateRequest('sentNames', undefined)
  const pathsOf = Map.groupBy(Object.entries(paths), ([, { of }]) => of)
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const line = lineOf(route)
    if (line === undefined) return
    // First, because the other paths begin with the route as it was written.
    for (const [path, alias] of pathsOf.get(line) ?? []) this.route(otherPath(route, path, alias))
    // The other paths come here too. Their rows are complete.
    if (!Object.hasOwn(paths, line)) accept(route, operations[line] ?? {}, facts)
  })
}

type Route = RouteOptions & { routePath: string; path: string; prefix: string }

function lineOf({ method, url }: Route): Line | undefined {
  return typeof method === 'string' && url.startsWith(`${prefix}/`)
    ? (`${method} ${url.slice(prefix.length)}` as Line)
    : undefined
}

function accept(route: Route, { body: others = [], ids = [], ...alias }: OperationAlias, facts: Facts): void {
  const { formerValues = {}, formerPlaces, answer } = alias
  const body = isSchema(route.schema?.body) ? widened(route, route.schema.body, others) : undefined
  if (body !== undefined) route.schema = { ...route.schema, body }
  const translate = translating({ ids: [...ids, ...idFields(body)], formerValues, others, facts })
  if (translate !== undefined) route.preValidation = [translate, route.preValidation ?? []].flat()
  if (formerPlaces !== undefined) {
    route.preValidation = [translatingPlaces(formerPlaces), route.preValidation ?? []].flat()
  }
  if (answer !== undefined) changeAnswer(route, answer)
}

/** Adds the other names to the schema of a body, so that they are known and described. */
function widened(route: Route, body: Schema, others: readonly OtherNames[]): Schema {
  if (others.length === 0) return body
  const own = body.properties as Record<string, Schema>
  const added = others.flatMap(({ names, means }) =>
    Object.entries(names).map(([name, schema = own[means]]) => {
      if (schema === undefined) throw new Error(`${route.method} ${route.url} has no field ${means}.`)
      const { default: _, ...same } = schema
      const description = `Another name of \`${means}\`, for scripts from the hosted service.`
      return [name, { description, ...same, deprecated: true }]
    }),
  )
  return { ...body, properties: { ...own, ...Object.fromEntries(added) } }
}

function changeAnswer(route: Route, { describe, change }: AnswerChange): void {
  const response = (route.schema?.response ?? {}) as Record<string, Schema>
  const made = Object.entries(response).map(([status, schema]) => [
    status,
    status.startsWith('2') ? describe(schema) : schema,
  ])
  route.schema = { ...route.schema, response: Object.fromEntries(made) }
  const hook: preSerializationHookHandler<unknown> = (request, reply, answer, done) => {
    const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300
    done(null, isSuccess && isSchema(answer) ? change(answer, request) : answer)
  }
  route.preSerialization = [route.preSerialization ?? [], hook].flat() as preSerializationHookHandler[]
}

/** A route with the handler of another one, at another path. */
function otherPath(route: Route, line: string, alias: PathAlias): RouteOptions {
  const { summary, description, body, query, answer } = alias
  const { schema = {}, preValidation = [], preHandler = [] } = route
  const made = {
    ...route,
    url: line.slice(line.indexOf(' ') + 1),
    schema: { ...schema, summary, description, deprecated: true, ...(body && { body: body.schema }) },
  } as Route
  if (query !== undefined) {
    made.preValidation = [
      preValidation,
      (request: { query: unknown }, _reply: unknown, done: () => void) => {
        request.query = { ...query, ...(request.query as object) }
        done()
      },
    ].flat() as NonNullable<Route['preValidation']>
  }
  if (body !== undefined) made.preHandler = [translatingPath(body), preHandler].flat()
  if (answer !== undefined) changeAnswer(made, answer)
  return made
}
