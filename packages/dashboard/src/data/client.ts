import { createApiClient, type LiveApiClient } from '@tickwright/client'

/** The API, with the session of the signed-in user. */
export const client: LiveApiClient = createApiClient({ session: true })
