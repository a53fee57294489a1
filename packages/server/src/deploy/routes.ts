import { Type } from 'typebox'
import { invalidField } from '../base/errors.ts'
import { given } from '../base/given.ts'
import { deployKinds } from '../db/schema.ts'
import { signedRequest } from '../http/authentication.ts'
import { listRoute } from '../http/crud.ts'
import { errorResponses, Id, Nullable, PageQuery } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { Reason } from '../strategies/records.ts'
import { savedBy } from '../strategies/saves.ts'
import type { Deployed, Deployments, Listed } from './deployments.ts'
import { presentDecisions } from './refusals.ts'

/** Hundreds of files. Larger projects deploy in several requests. */
const mostObjects = 500
const mostBytes = 8 * 1024 * 1024

const tags = ['Deployment']
const path = '/deploy'

const Kind = Type.Enum([...deployKinds], { description: 'What it is.' })
const Key = Type.String({
  maxLength: 100,
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  description: 'The name of its file, in lower case and without folder and ending.',
})
const Project = Type.String({
  maxLength: 100,
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  description: 'Your word for the folder of files. The service remembers under it what each object was like.',
})
const Revision = Type.String({
  maxLength: 64,
  description: 'Changes with each change of the settings that files have.',
})
const SettingsOf = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    ...{ type: 'object', additionalProperties: true, maxProperties: 100, description },
  })
const Status = Type.Enum(['ACTIVE', 'INACTIVE'])

const Item = Type.Object({
  id: Type.Integer(),
  kind: Kind,
  name: Type.String(),
  status: Status,
  revision: Revision,
  deployed: Nullable(
    Type.Object(
      { key: Type.String(), revision: Type.String() },
      { description: 'Its key in the project, and the revision with which it last came from there.' },
    ),
  ),
  settings: SettingsOf('As in the routes of its kind; without folder, status, code and prompt.'),
})

const Body = Type.Object(
  {
    objects: Type.Array(
      Type.Object({
        kind: Kind,
        key: Key,
        id: Type.Optional({
          ...Id,
          description:
            'The object to change. Without it, the one that came under this key from this project, or else the one with this name; if there is none, a new one.',
        }),
        base: Type.Optional({
          ...Revision,
          description:
            'The revision that your settings come from. Without it, the one with which it last came from this project.',
        }),
        force: Type.Optional(Type.Boolean({ description: 'Overwrites what is newer on the service.' })),
        settings: SettingsOf(
          'As in the routes of its kind, with code and prompt. What you leave out stays as it is. Instead of the id of an object that is part of the same request, write its kind and key: `bot-webhook/alerts`. Folders, passwords and status cannot be set.',
        ),
      }),
      { maxItems: mostObjects },
    ),
    prune: Type.Optional(
      Type.Array(
        Type.Object({
          kind: Kind,
          key: Key,
          id: Id,
          base: Type.Optional({
            ...Revision,
            description:
              'The revision that its last file came from. Without it, the one with which it last came from this project.',
          }),
          force: Type.Optional(
            Type.Boolean({ description: 'Deletes it also if it has changed on the service since.' }),
          ),
        }),
        {
          maxItems: mostObjects,
          description:
            'Objects that came from this project and have no file any more. The same transaction deletes them, except those that are active, hold a position or are still used.',
        },
      ),
    ),
    project: Type.Optional(Project),
    dry_run: Type.Optional(
      Type.Boolean({
        description: 'Checks and tries everything, keeps nothing, and reports conflicts with 200.',
      }),
    ),
    inactive_only: Type.Optional(
      Type.Boolean({ description: 'Refuses everything with 409 if it would change what is active.' }),
    ),
    reason: Reason,
  },
  {
    examples: [
      {
        project: 'my-strategies',
        objects: [
          { kind: 'data-webhook', key: 'alerts', settings: { name: 'Alerts' } },
          {
            kind: 'code-reaction',
            key: 'breakout',
            settings: { code: '$.log($.Request.data)', data_webhook_id: 'data-webhook/alerts' },
          },
        ],
      },
    ],
  },
)

const Answer = Type.Object({
  dry_run: Type.Boolean(),
  objects: Type.Array(
    Type.Object({
      kind: Kind,
      key: Type.String(),
      result: Type.Enum(['created', 'changed', 'unchanged', 'conflict']),
      id: Nullable(Type.Integer()),
      name: Nullable(Type.String()),
      status: Nullable(Status),
      revision: Nullable(Type.String()),
      conflict: Type.Optional(
        Type.Enum(['changed', 'exists', 'ambiguous', 'deleted'], {
          description:
            '`changed`: it has changed on the service since its base. `exists`: there is one with this name, which did not come from this project. `ambiguous`: there are several. `deleted`: it is gone.',
        }),
      ),
      base: Type.Optional(Nullable(Type.String())),
      differences: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String(),
            yours: Type.Optional(Type.Unknown()),
            theirs: Type.Optional(Type.Unknown()),
            diff: Type.Optional(Nullable(Type.String({ description: 'Of code or a prompt.' }))),
          }),
        ),
      ),
      bots: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          mode: Type.Enum(['paper', 'live']),
          demo: Type.Boolean(),
          status: Status,
        }),
        { description: 'Your bots that follow it, if it is active and has changed.' },
      ),
    }),
  ),
  pruned: Type.Array(
    Type.Object({
      kind: Kind,
      key: Type.String(),
      id: Type.Integer(),
      name: Nullable(Type.String()),
      result: Type.Enum(['deleted', 'spared', 'conflict', 'absent'], {
        description: '`spared`: `reason` says why it stays. `absent`: there is none.',
      }),
      reason: Nullable(Type.String()),
    }),
    { description: 'What became of the objects of `prune`.' },
  ),
})

/** Users deploy what they keep in files. */
export function deployRoutes(deployments: Deployments): Routes {
  return (scope) => {
    listObjects(scope, deployments)
    deploy(scope, deployments)
  }
}

function listObjects(scope: App, deployments: Deployments): void {
  listRoute(scope, path, {
    tags,
    summary: 'List your objects of one kind as files have them',
    description: 'In order of id.',
    item: Item,
    query: Type.Object({ ...PageQuery.properties, kind: Kind, project: Type.Optional(Project) }),
    list: async (userId, window, { kind, project }) =>
      (await deployments.list(userId, kind, window, project)).map((each) => presentListed(kind, each)),
    count: (userId, { kind }) => deployments.count(userId, kind),
  })
}

function deploy(scope: App, deployments: Deployments): void {
  scope.post(
    path,
    {
      bodyLimit: mostBytes,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Create and change many objects in one transaction',
        description:
          'Creates and changes webhooks, strategies, reactions and bots, all or none. New ones are INACTIVE, and the status of others stays. It deletes only what `prune` names, and nothing that is active or holds a position. If an object is newer on the service than its `base`, the answer is 409 with both sides, and nothing changes. A key with the scope `deploy` changes no bots.',
        body: Body,
        response: {
          200: Answer,
          ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500, 503),
        },
      },
    },
    async ({ principal, body }) => {
      const { userId, scope: may = 'all' } = principal
      const { objects, prune, project, dry_run: dryRun = false, inactive_only: inactiveOnly, reason } = body
      if (objects.length === 0 && (prune ?? []).length === 0)
        throw invalidField('objects', 'must have at least one object, unless prune has one')
      const deployer = { userId, scope: may, save: savedBy(principal, reason) }
      const done = await deployments.deploy(deployer, {
        objects,
        dryRun,
        ...given({ prune, project, inactiveOnly }),
      })
      return {
        dry_run: dryRun,
        objects: presentDeployed(done.objects, dryRun),
        pruned: done.pruned.map(({ unwanted: { kind, key, id }, ...became }) => ({
          kind,
          key,
          id,
          ...became,
        })),
      }
    },
  )
}

function presentListed(kind: (typeof deployKinds)[number], { isActive, ...found }: Listed) {
  return { kind, status: statusOf(isActive), ...found }
}

function presentDeployed(done: readonly Deployed[], dryRun: boolean) {
  const present = presentDecisions()
  return done.map(({ decision, object, followers }) => ({
    ...present(decision),
    // The id of an object that a dry run has tried to create means nothing.
    id: dryRun && decision.result === 'created' ? null : (object?.id ?? null),
    name: object?.name ?? null,
    status: object === null ? null : statusOf(object.isActive),
    revision: object?.revision ?? null,
    bots: [...followers],
  }))
}

function statusOf(isActive: boolean) {
  return isActive ? ('ACTIVE' as const) : ('INACTIVE' as const)
}
