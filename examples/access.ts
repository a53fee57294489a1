/** The origin of a service, and an HMAC key of an account on it: the options of `createApiClient`. */
export type ApiAccess = { baseUrl: string; apiKey: string; apiSecret: string }
