import { createServer } from 'node:net'
import { type Config, ConfigError } from '../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/**
 * Checks that the service can listen, before a start creates anything.
 * @throws {ConfigError} that says what to change
 */
export async function checkAddress(address: Address): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ ...address, exclusive: true }, resolve)
    })
  } catch (error) {
    throw explained(error, address)
  } finally {
    server.close()
  }
}

/** Turns an error about the address into one that says what to change. Returns any other error as it is. */
export function explained(error: unknown, { host, port }: Address): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const options = { cause: error }
  switch (code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `Port ${port} is in use. Choose another: PORT=${anotherPort(port)} npm start`,
        options,
      )
    case 'EACCES':
      return new ConfigError(
        `This user may not listen on port ${port}. Choose one above 1023: PORT=3000 npm start`,
        options,
      )
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return new ConfigError(
        `HOST must be an address or a name of this machine, got "${host}". Try 127.0.0.1, or 0.0.0.0 to listen on every address: HOST=127.0.0.1 npm start`,
        options,
      )
    default:
      return error
  }
}

function anotherPort(port: number): number {
  return port < 65_535 ? port + 1 : 3000
}
