/** Whose work the dashboard contains, and under which licences. The licences ask that users can read this. */

export type Notice = {
  name: string
  /** What it does here. */
  use: string
  license: 'MIT' | 'ISC' | 'Apache-2.0'
  copyright: string
  url: string
  /** The packages of npm that it consists of; a name that ends in `/` stands for all packages of that scope. */
  packages: readonly string[]
}

export const notices: readonly Notice[] = [
  {
    name: 'TradingView Lightweight Charts™',
    use: 'charts',
    license: 'Apache-2.0',
    copyright: 'Copyright (c) 2026 TradingView, Inc. https://www.tradingview.com/',
    url: 'https://www.tradingview.com/',
    packages: ['lightweight-charts', 'fancy-canvas'],
  },
  {
    name: 'React',
    use: 'pages',
    license: 'MIT',
    copyright: 'Copyright (c) Meta Platforms, Inc. and affiliates.',
    url: 'https://react.dev/',
    packages: ['react', 'react-dom', 'scheduler', 'use-sync-external-store'],
  },
  {
    name: 'TanStack Query, Router and Virtual',
    use: 'data, addresses and long lists',
    license: 'MIT',
    copyright: 'Copyright (c) 2021-present Tanner Linsley',
    url: 'https://tanstack.com/',
    packages: ['@tanstack/'],
  },
  {
    name: 'Base UI',
    use: 'tabs and other controls',
    license: 'MIT',
    copyright: 'Copyright (c) 2019 Material-UI SAS',
    url: 'https://base-ui.com/',
    packages: ['@base-ui/'],
  },
  {
    name: 'Floating UI',
    use: 'what floats above a page',
    license: 'MIT',
    copyright: 'Copyright (c) 2021-present Floating UI contributors',
    url: 'https://floating-ui.com/',
    packages: ['@floating-ui/'],
  },
  {
    name: 'CodeMirror and Lezer',
    use: 'the editor',
    license: 'MIT',
    copyright:
      'Copyright (C) 2016-2024 by Marijn Haverbeke <marijn@haverbeke.berlin>, Arun Srinivasan and others',
    url: 'https://codemirror.net/',
    packages: ['@codemirror/', '@lezer/', '@marijn/', 'crelt', 'style-mod', 'w3c-keyname'],
  },
  {
    name: 'TypeScript',
    use: 'types in the editor',
    license: 'Apache-2.0',
    copyright: 'Copyright (c) Microsoft Corporation.',
    url: 'https://www.typescriptlang.org/',
    packages: ['typescript'],
  },
  {
    name: 'Lucide',
    use: 'icons',
    license: 'ISC',
    copyright:
      'Copyright (c) 2026 Lucide Icons and Contributors; parts copyright (c) 2013-2023 Cole Bemis (MIT)',
    url: 'https://lucide.dev/',
    packages: ['lucide-react'],
  },
  {
    name: 'cRonstrue',
    use: 'schedules in words',
    license: 'MIT',
    copyright: 'Copyright (c) 2017 Brady Holt',
    url: 'https://github.com/bradymholt/cronstrue',
    packages: ['cronstrue'],
  },
  {
    name: 'uqr',
    use: 'QR codes',
    license: 'MIT',
    copyright: 'Copyright (c) Project Nayuki; copyright (c) 2023 Anthony Fu',
    url: 'https://github.com/unjs/uqr',
    packages: ['uqr'],
  },
  {
    name: 'Seroval',
    use: 'a part of TanStack Router',
    license: 'MIT',
    copyright: 'Copyright (c) 2025 Alexis Munsayac',
    url: 'https://github.com/lxsmnsyc/seroval',
    packages: ['seroval', 'seroval-plugins'],
  },
  {
    name: 'Reselect',
    use: 'a part of Base UI',
    license: 'MIT',
    copyright: 'Copyright (c) 2015-2018 Reselect Contributors',
    url: 'https://reselect.js.org/',
    packages: ['reselect'],
  },
]

/** The terms of each licence, or where they are. */
export const terms: Record<Notice['license'], string> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
  'Apache-2.0': `Licensed under the Apache License, Version 2.0. You may not use this software except in compliance with the License. A copy of the License is at https://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and limitations under the License.`,
}

/** The notice of a package, if there is one. */
export function noticeOf(name: string): Notice | undefined {
  return notices.find(({ packages }) =>
    packages.some((each) => (each.endsWith('/') ? name.startsWith(each) : name === each)),
  )
}
