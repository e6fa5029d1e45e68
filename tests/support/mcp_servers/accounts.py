# Copyright (c) 2026 the agentihooks.fleet contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may use server.py: whoever sends one token, or an authorization server in memory that lets everybody sign in."""

from __future__ import annotations

import secrets
import time

from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.shared.auth import OAuthToken

# Seconds: longer than any test.
LIFETIME = 3600


class OneToken:
    """The SDK's TokenVerifier for one token."""

    def __init__(self, token):
        self._token = token

    async def verify_token(self, token):
        return AccessToken(token=token, client_id="anybody", scopes=[]) if token == self._token else None


class Accounts:
    """The SDK's OAuthAuthorizationServerProvider: clients register themselves, and whoever opens the sign-in address is in."""

    def __init__(self):
        self._clients = {}
        self._codes = {}
        self._access = {}
        self._refresh = {}

    async def get_client(self, client_id):
        return self._clients.get(client_id)

    async def register_client(self, client_info):
        self._clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32), scopes=params.scopes or [], expires_at=time.time() + LIFETIME, client_id=client.client_id,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource,
        )  # fmt: skip
        self._codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self._codes[authorization_code.code]
        return self._issue(client.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self._refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        del self._refresh[refresh_token.token]
        return self._issue(client.client_id, scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self._access.get(token)

    async def revoke_token(self, token):
        self._access.pop(token.token, None)
        self._refresh.pop(token.token, None)

    def _issue(self, client_id, scopes, resource):
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        expires_at = int(time.time()) + LIFETIME
        self._access[access] = AccessToken(token=access, client_id=client_id, scopes=scopes, expires_at=expires_at, resource=resource)
        self._refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes, resource=resource)
        return OAuthToken(access_token=access, token_type="Bearer", expires_in=LIFETIME, refresh_token=refresh, scope=" ".join(scopes))
