/**
 * Preloaded into services that run as a process: ends their whole group when standard input closes, which the
 * system does when the test process is killed.
 */
process.stdin
  .on('end', () => process.kill(-process.pid, 'SIGKILL'))
  .resume()
  // A service that has drained ends by itself.
  .unref()
