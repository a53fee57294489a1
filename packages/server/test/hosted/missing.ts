/** The operations that the service does not answer as declared yet, in the order of `operations.txt`. */
export const missing: readonly string[] = [
  ...of('bots.prediction', [
    ...['getMarket', 'list', 'create', 'getTotal', 'get', 'update', 'delete', 'status', 'duplicate'],
    ...['listFolder', 'postFolder', 'listFolderRoot', 'getFolder', 'updateFolder', 'deleteFolder'],
  ]),
  ...of('bots.dex', [
    ...[
      'list',
      'create',
      'getTotal',
      'get',
      'update',
      'delete',
      'getByChainAndAddress',
      'getFactory',
      'status',
    ],
    ...['listFolder', 'postFolder', 'listFolderRoot', 'getFolder', 'updateFolder', 'deleteFolder'],
  ]),
  ...of('webhooks.bot', ['listBotSignalDex', 'listBotSignalPrediction']),
  ...of('apiKeys.prediction', ['list', 'create', 'getSignalBot', 'status', 'delete', 'postTest']),
]

function of(group: string, names: readonly string[]): string[] {
  return names.map((name) => `${group}.${name}`)
}
