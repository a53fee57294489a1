/** A minimal client library, for tests of what the sandbox passes to one. */
class Client {
  #credentials
  #parts

  constructor(credentials, parts) {
    this.#credentials = credentials
    this.#parts = parts
  }

  describe() {
    const { baseUrl, http, generateSignature, now } = this.#parts
    const same = http.generateSignature === generateSignature
    return { apiKey: this.#credentials.apiKey, baseUrl, same, time: typeof now() }
  }
}

export function createApiClient(credentials, parts) {
  return new Client(credentials, parts)
}
