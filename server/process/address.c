/* Socket addresses. Names are not resolved: addresses are numeric, except for "localhost". */
#include "process/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

bool srv_address_parse(const char *text, uint16_t port, struct sockaddr_storage *out,
                       socklen_t *length) {
  char bare[64];
  size_t n = strlen(text);
  if (strcmp(text, "localhost") == 0) text = "127.0.0.1", n = 9;
  if (n >= 2 && text[0] == '[' && text[n - 1] == ']') text++, n -= 2;
  if (n >= sizeof bare) return false;
  memcpy(bare, text, n);
  bare[n] = 0;
  memset(out, 0, sizeof *out);
  struct sockaddr_in *four = (struct sockaddr_in *)out;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;
  if (inet_pton(AF_INET, bare, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    *length = sizeof *four;
    return true;
  }
  memset(out, 0, sizeof *out);
  if (inet_pton(AF_INET6, bare, &six->sin6_addr) != 1) return false;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(port);
  *length = sizeof *six;
  return true;
}

bool srv_address_ipv4(const struct sockaddr *address, uint32_t *out) {
  if (address->sa_family == AF_INET) {
    *out = ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    return true;
  }
  if (address->sa_family != AF_INET6) return false;
  const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(six)) return false;
  uint32_t word;
  memcpy(&word, six->s6_addr + 12, sizeof word);
  *out = ntohl(word);
  return true;
}

bool srv_address_is_loopback(const struct sockaddr *address) {
  uint32_t four;
  if (srv_address_ipv4(address, &four)) return four >> 24 == 127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

void srv_address_text(const struct sockaddr *address, char *out) {
  uint32_t four;
  out[0] = 0;
  if (srv_address_ipv4(address, &four)) {
    four = htonl(four);
    inet_ntop(AF_INET, &four, out, 64);
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, out, 64);
  }
}

const char *srv_address_hide_password(const char *url, char out[SRV_ADDRESS_URL_MAX]) {
  const char *scheme = strstr(url, "://"), *at = strrchr(url, '@');
  const char *user = scheme && (!at || scheme < at) ? scheme + 3 : url;
  const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
  if (colon) snprintf(out, SRV_ADDRESS_URL_MAX, "%.*s:***%s", (int)(colon - url), url, at);
  else snprintf(out, SRV_ADDRESS_URL_MAX, "%s", url);
  for (char *c = out; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  return out;
}
