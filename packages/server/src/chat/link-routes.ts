import { Type } from 'typebox'
import type { AuditLog } from '../accounts/audit-log.ts'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { deleteRoute, listRoute } from '../http/crud.ts'
import { errorResponses, Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { ChatLink } from './links.ts'
import type { ChatService } from './open.ts'

const Scope = Type.Enum(['read', 'control'], {
  description:
    '`read`: look at the account. `control`: also halt, switch bots, close positions and decide about approvals.',
})

const LinkRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'How Telegram calls the person who is linked.' }),
  telegram_id: Type.Integer({ description: 'The id of the person at Telegram.' }),
  scope: Scope,
  created_at: Timestamp,
  used_at: Nullable({ ...Timestamp, description: 'When the person last asked something.' }),
})

const NewLink = Type.Object({
  url: Type.String({ description: 'The first person who opens it and presses Start is linked. Valid once.' }),
  bot: Type.String({ description: 'The name of the bot at Telegram.' }),
  scope: Scope,
  expires_at: Timestamp,
})

const tags = ['Chat']
const path = '/chat/link'

/** Where users link people of Telegram to their account, and unlink them. */
export function chatLinkRoutes(chat: ChatService, audit: AuditLog): Routes {
  const { links } = chat
  return (scope) => {
    listRoute(scope, path, {
      tags,
      summary: 'List the people of Telegram who may use your account',
      description: 'In order of id.',
      item: LinkRecord,
      list: async (userId, window) => (await links.list(userId, window)).map(present),
      count: (userId) => links.count(userId),
    })
    createLink(scope, chat, audit)
    deleteRoute(scope, path, {
      tags,
      summary: 'Unlink a person of Telegram from your account',
      description: 'The person has no access from the next message on.',
      delete: (userId, id, request) => links.delete(userId, id, audit.note(request, 'chat_unlinked')),
    })
  }
}

function createLink(scope: App, chat: ChatService, audit: AuditLog): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Make a link to the Telegram bot of this service, valid once, for ten minutes',
        description:
          'Only for people who are signed in, because anyone who opens the link gets access to the account. Answers 409 if the service has no bot, or has not reached Telegram yet.',
        body: Type.Object({ scope: Scope }, { examples: [{ scope: 'read' }] }),
        response: { 201: NewLink, ...errorResponses(400, 401, 403, 409, 415, 500) },
      },
    },
    async (request, reply) => {
      const { principal, body } = request
      if (principal.sessionId === undefined)
        throw new AppError('access_denied', 'Only somebody who is signed in may link a chat, and no API key.')
      const { username, isConfigured, links } = chat
      if (username === null) throw noBot(isConfigured)
      const note = audit.note(request, 'chat_link_made')
      const { code, expiresAt } = await links.makeCode(principal.userId, body.scope, note)
      return reply.code(201).send({
        ...{ url: `https://t.me/${username}?start=${code}`, bot: username, scope: body.scope },
        expires_at: expiresAt.toISOString(),
      })
    },
  )
}

function noBot(isConfigured: boolean): AppError {
  const why = isConfigured
    ? 'The service has not reached Telegram yet. Try again in a minute.'
    : 'This service has no Telegram bot. An administrator sets one up with TELEGRAM_BOT_TOKEN.'
  return new AppError('resource_conflict', why)
}

function present({ id, name, telegramId, scope, createdAt, usedAt }: ChatLink) {
  return {
    ...{ id, name, telegram_id: telegramId, scope },
    created_at: createdAt.toISOString(),
    used_at: usedAt?.toISOString() ?? null,
  }
}
