import { type Static, type TObject, Type } from 'typebox'
import { highestLimit, type Limited, limitedNames } from '../base/default-limits.ts'
import type { Limit } from '../db/user-limits.ts'
import { signedRequest } from '../http/authentication.ts'
import { errorResponses, IdParameter, Nullable } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { ChangedLimits, LimitChanges } from './limit-changes.ts'

const LimitRecord = Type.Object({
  limit: Type.Integer({ description: 'How many the user may have.' }),
  own: Nullable(
    Type.Integer({ description: 'The limit of this user alone; null: that of the installation counts.' }),
  ),
  default: Type.Integer({ description: 'The limit of the installation, from its setting USER_LIMITS.' }),
  used: Type.Integer({ description: 'How many the user has.' }),
})

const ofEach = <Schema>(schemaOf: (name: Limited) => Schema) =>
  Object.fromEntries(limitedNames.map((name) => [name, schemaOf(name)])) as Record<Limited, Schema>

const LimitsRecord: TObject<Record<Limited, typeof LimitRecord>> = Type.Object(ofEach(() => LimitRecord))

const ChangeBody = Type.Partial(
  Type.Object(
    ofEach((name) =>
      Nullable(
        // A user without any session could never sign in.
        Type.Integer({ minimum: name === 'sessions' ? 1 : 0, maximum: highestLimit }),
      ),
    ),
  ),
  {
    // A misspelt limit must not seem to have been set.
    additionalProperties: false,
    examples: [{ strategies: 50, bots: null }],
  },
)

const common = { tags: ['Users'], security: signedRequest }

/** Routes for how many things a user may have. */
export function limitRoutes(limits: LimitChanges): Routes {
  return (scope) => {
    readLimits(scope, limits)
    changeLimits(scope, limits)
  }
}

function readLimits(scope: App, limits: LimitChanges): void {
  scope.get(
    '/user/:id/limits',
    {
      schema: {
        ...common,
        summary: 'Read how many things of each kind a user may have, and has',
        description: 'Your own, or, as an administrator, those of anyone.',
        params: IdParameter,
        response: { 200: LimitsRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params }) => present(await limits.list(principal, params.id)),
  )
}

function changeLimits(scope: App, limits: LimitChanges): void {
  scope.put(
    '/user/:id/limits',
    {
      schema: {
        ...common,
        summary: 'Change how many things a user may have (administrators)',
        description:
          'Only the given limits change; null restores that of the installation. It applies at once, on every node. What the user has stays, even if it is more.',
        params: IdParameter,
        body: ChangeBody,
        response: { 200: LimitsRecord, ...errorResponses(400, 401, 403, 404, 415, 500) },
      },
    },
    async ({ principal, params, body, ip }) =>
      present(await limits.change(principal, params.id, body as ChangedLimits, ip)),
  )
}

function present(limits: Record<Limited, Limit>): Static<typeof LimitsRecord> {
  return ofEach((name) => {
    const { limit, own, standard, used } = limits[name]
    return { limit, own, default: standard, used }
  })
}
