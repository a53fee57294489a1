import { chatLinkRoutes } from '../chat/link-routes.ts'
import { ChatService } from '../chat/open.ts'
import { telegramWebhookRoutes } from '../chat/webhook-routes.ts'
import type { Routes } from '../http/types.ts'
import type { Management } from './management.ts'
import type { Parts } from './parts.ts'

/** The bot of Telegram. It begins when the API can answer. */
export function openChat(
  { config, storage, access, news, logger }: Parts,
  { accounts }: Management,
): ChatService {
  const { database, vault } = storage
  const { endpoints } = news
  return new ChatService({
    ...{ config, database, vault, logger, audit: access.audit, confirmations: accounts.confirmations },
    mute: (userId, minutes) => endpoints.mute(userId, minutes),
  })
}

/** For users: who is linked. */
export function linkRoutes({ access }: Parts, chat: ChatService): Routes {
  return chatLinkRoutes(chat, access.audit)
}

/** For Telegram, if it posts updates. */
export function telegramRoutes(chat: ChatService): Routes[] {
  return chat.hasWebhook ? [telegramWebhookRoutes(() => chat.receiver)] : []
}
